import { useQuery } from '@tanstack/react-query';
import type {
  ListedRequest,
  LoggedRequest,
} from '../../../src/features/activity/request-log/request-log.schema.ts';
import { getJson } from '../../api/client.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { texts } from '../../texts/en.ts';
import { requestLogTexts } from '../../texts/en/request-log.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { Fact } from '../../ui/fact.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { SourceText } from '../emails/message-source.tsx';
import { toneOfStatus } from './request-filters.ts';

const t = requestLogTexts;

interface RequestDialogProps {
  request: ListedRequest;
  keyName: string;
  onClose(): void;
}

export function RequestDialog({ request, keyName, onClose }: RequestDialogProps) {
  const { id, method, path, status, at, durationMs, requestId, userAgent, emailId } = request;
  const detail = useQuery({
    queryKey: ['logs', 'one', id],
    queryFn: () => getJson<LoggedRequest>(`/logs/${id}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const name = (
    <code className="break-all">
      {method} {path}
    </code>
  );
  return (
    <Dialog wide title={t.request} description={name} onClose={onClose}>
      <dl className="mb-5 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name={t.status}>
          <Badge tone={toneOfStatus(status)}>{status}</Badge>
        </Fact>
        <Fact name={t.when}>
          <Time at={at} precise /> <span className="text-soft">({t.ms(durationMs)})</span>
        </Fact>
        <Fact name={t.key}>{keyName}</Fact>
        <Fact name={t.requestId}>
          <CopyId id={requestId} label={t.copyId} />
        </Fact>
        {userAgent !== null && <Fact name={t.userAgent}>{userAgent}</Fact>}
        {emailId !== null && (
          <Fact name={t.email}>
            <TextLink to="/emails/$emailId" params={{ emailId }} className="underline">
              {t.viewEmail}
            </TextLink>
          </Fact>
        )}
      </dl>
      {hasFailed(detail) ? (
        <ErrorState error={detail.error} retry={() => void detail.refetch()} />
      ) : detail.data ? (
        <>
          <Body name={t.body} body={detail.data.requestBody} />
          <Body name={t.answer} body={detail.data.responseBody} />
          <p className="mt-3 text-note text-soft">{t.bodyNote}</p>
        </>
      ) : (
        <Skeleton className="h-40" />
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

function Body({ name, body }: { name: string; body: unknown }) {
  return (
    <>
      <h3 className="mt-4 mb-2 font-medium">{name}</h3>
      {body === null ? (
        <p className="text-soft">{t.noBody}</p>
      ) : (
        <SourceText raw={typeof body === 'string' ? body : JSON.stringify(body, null, 2)} label={name} />
      )}
    </>
  );
}

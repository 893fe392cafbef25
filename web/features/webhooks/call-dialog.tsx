import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import type { Call, CallDetail } from '../../../src/features/webhooks/calls.schema.ts';
import { getJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { webhookTexts } from '../../texts/en/webhooks.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { SourceText } from '../emails/message-source.tsx';

const t = webhookTexts;

export function CallDialog({ call, onClose }: { call: Call; onClose(): void }) {
  const path = `/webhooks/${call.webhookId}/calls/${call.id}`;
  const { data } = useQuery({
    queryKey: ['webhooks', 'call', call.id],
    queryFn: () => getJson<CallDetail>(path),
    staleTime: 0,
  });
  const { busy, error, onSubmit } = useSubmission(async () => {
    await sendOnce(`${path}/replay`);
    await refresh('webhooks');
    showToast(t.replayed);
    onClose();
  });
  const eventId = <code className="text-xs">{call.eventId}</code>;
  return (
    <Dialog wide title={call.type} description={eventId} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <h3 className="mb-2 font-medium">{t.payload}</h3>
        <SourceText raw={JSON.stringify(call.payload, null, 2)} label={t.payload} />
        <h3 className="mt-5 mb-2 font-medium">{t.attempts}</h3>
        {data ? <Attempts attempts={data.attempts} /> : <Skeleton className="h-16" />}
        {data?.nextAttemptAt && (
          <p className="mt-3 text-soft">
            {t.nextAttempt} <Time at={data.nextAttemptAt} precise />
          </p>
        )}
        <FormError error={error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.close}</Button>
          <Button type="submit" look="primary" icon={RotateCcw} busy={busy}>
            {t.replay}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Attempts({ attempts }: { attempts: CallDetail['attempts'] }) {
  if (attempts.length === 0) return null;
  return (
    <ol className="divide-y divide-line rounded-xl border border-line">
      {attempts.map((attempt) => (
        <li key={attempt.no} className="px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={attempt.error === null ? 'good' : 'bad'}>
              {attempt.statusCode === null ? t.noAnswer : `HTTP ${attempt.statusCode}`}
            </Badge>
            <span>{t.attempt(attempt.no)}</span>
            {attempt.error && <span className="text-soft">{t.errors[attempt.error]}</span>}
            <span className="ml-auto text-[0.8125rem] text-soft">
              {t.took(attempt.durationMs)} · <Time at={attempt.at} precise />
            </span>
          </div>
          {attempt.answer && (
            <pre className="mt-2 rounded-md bg-panel p-2 text-xs break-all whitespace-pre-wrap">
              {attempt.answer}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}

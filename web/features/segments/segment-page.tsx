import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Segment } from '../../../src/features/segments/segments.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission, useUnsaved } from '../../ui/form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { GroupEditor } from './filter-builder.tsx';
import { isComplete, readFilter, toFilter, type Group } from './filter-model.ts';

const t = texts.segments;
const back = { to: '/segments', label: t.title } as const;
const TYPING_PAUSE_MS = 300;

export function SegmentPage() {
  const { segmentId } = useParams({ from: '/app/segments/$segmentId' });
  const segment = useQuery({
    queryKey: ['segments', segmentId],
    queryFn: () => getJson<Segment>(`/segments/${segmentId}`),
    // What is being edited must not change under the person's hands.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <PageOf query={segment} title={t.title} back={back}>
      {(data) => <SegmentForm key={segmentId} segment={data} />}
    </PageOf>
  );
}

function SegmentForm({ segment }: { segment: Segment }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: book } = useQuery(contactBookQuery(segment.contactBookId));
  const [name, setName] = useState(segment.name);
  const [group, setGroup] = useState(() => readFilter(segment.filter));
  const [deleting, setDeleting] = useState(false);
  const complete = isComplete(group);
  const { isUnsaved, noteSaved } = useUnsaved([name, group]);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    const saved = await sendJson<Segment>('PATCH', `/segments/${segment.id}`, {
      name,
      filter: toFilter(group),
    });
    noteSaved();
    queryClient.setQueryData(['segments', segment.id], saved);
    await queryClient.invalidateQueries({ queryKey: ['segments'], exact: false, refetchType: 'none' });
    showToast(t.saved);
  });
  return (
    <Page
      title={segment.name}
      description={book?.name}
      back={back}
      actions={
        <Button icon={Trash2} onClick={() => setDeleting(true)}>
          {t.delete}
        </Button>
      }
    >
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <form onSubmit={onSubmit}>
        <TextField
          className="mb-6 max-w-md"
          label={t.name}
          value={name}
          required
          error={errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Section title={t.filter} actions={<LiveCount bookId={segment.contactBookId} group={group} />}>
          <GroupEditor group={group} properties={book?.variables ?? []} onChange={setGroup} />
        </Section>
        <FormError error={errorBeside()} />
        <div className="mt-4 flex flex-wrap items-center gap-3">
          <Button type="submit" look="primary" busy={busy} disabled={!complete}>
            {texts.common.save}
          </Button>
          {!complete && <span className="text-soft">{t.notComplete}</span>}
        </div>
      </form>
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(segment.name)}
          action={t.delete}
          onClose={() => setDeleting(false)}
          run={async () => {
            await sendJson('DELETE', `/segments/${segment.id}`);
            await navigate({ to: '/segments', ignoreBlocker: true });
            await queryClient.invalidateQueries({ queryKey: ['segments'] });
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** How many match now, asked anew a moment after the last change. */
function LiveCount({ bookId, group }: { bookId: string; group: Group }) {
  const [settled, setSettled] = useState(group);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(group), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [group]);
  const complete = isComplete(settled);
  const filter = complete ? toFilter(settled) : null;
  const count = useQuery({
    queryKey: ['segment-count', bookId, filter],
    queryFn: () => sendJson<{ count: number }>('POST', '/segments/count', { contactBookId: bookId, filter }),
    enabled: complete,
    placeholderData: keepPreviousData,
  });
  return (
    <p role="status" className="font-medium">
      {!complete ? (
        <span className="font-normal text-soft">{t.notCounted}</span>
      ) : count.data ? (
        t.matching(count.data.count)
      ) : (
        t.counting
      )}
    </p>
  );
}

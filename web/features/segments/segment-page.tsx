import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Segment } from '../../../src/features/audience/segments/segments.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteMenu } from '../../ui/dialogs/delete-menu.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useForm, useUnsaved } from '../../ui/form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { GroupEditor } from './filter-builder.tsx';
import { SegmentContacts } from './segment-contacts.tsx';
import { isComplete, readFilter, toFilter, type Group } from './filter-model.ts';

const t = segmentTexts;
const back = { to: '/segments', label: t.title } as const;
const TYPING_PAUSE_MS = 300;

export function SegmentPage() {
  const { segmentId } = useParams({ from: '/app/segments/$segmentId' });
  const segment = useQuery({
    queryKey: ['segments', segmentId],
    queryFn: () => getJson<Segment>(`/segments/${segmentId}`),
    // The form must not change while it is being edited.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <PageOf query={segment} title={t.title} back={back}>
      {(data) => <SegmentForm key={segmentId} segment={data} />}
    </PageOf>
  );
}

function SegmentForm({ segment }: { segment: Segment }) {
  const { data: book } = useQuery(contactBookQuery(segment.contactBookId));
  const form = useForm(
    () => ({ name: segment.name, group: readFilter(segment.filter) }),
    async ({ name, group }) => {
      const input = { name, filter: toFilter(group) };
      const saved = await sendJson<Segment>('PATCH', `/segments/${segment.id}`, input);
      noteSaved();
      queryClient.setQueryData(['segments', segment.id], saved);
      await queryClient.invalidateQueries({ queryKey: ['segments'], exact: false, refetchType: 'none' });
      await refresh('segment-contacts', segment.id);
      showToast(t.saved);
    },
  );
  const { isUnsaved, noteSaved } = useUnsaved(form.values);
  const { group } = form.values;
  const isDone = isComplete(group);
  return (
    <Page
      title={segment.name}
      description={book?.name}
      back={back}
      actions={<DeleteMenu things="segments" thing={segment} texts={t} />}
    >
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <form onSubmit={form.onSubmit}>
        <TextField className="mb-6 max-w-md" label={t.name} {...form.text('name')} required />
        <Section title={t.filter} actions={<LiveCount bookId={segment.contactBookId} group={group} />}>
          <GroupEditor
            group={group}
            properties={book?.variables ?? []}
            onChange={(next) => form.set({ group: next })}
          />
        </Section>
        <FormError error={form.errorBeside()} />
        <div className="mt-4 flex flex-wrap items-center gap-3">
          <Button type="submit" look="primary" busy={form.busy} disabled={!isDone}>
            {texts.common.save}
          </Button>
          {!isDone && <span className="text-soft">{t.notComplete}</span>}
        </div>
      </form>
      <SegmentContacts segment={segment} />
    </Page>
  );
}

/** The number of contacts that match now, requested again a moment after each change. */
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

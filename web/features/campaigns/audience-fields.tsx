import { useQuery } from '@tanstack/react-query';
import type { Segment } from '../../../src/features/segments/segments.schema.ts';
import type { Topic } from '../../../src/features/topics/topics.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import type { Draft } from './use-draft.ts';

const t = texts.campaigns;

export function AudienceFields({ draft: { fields, change, errorOf } }: { draft: Draft }) {
  const { contactBookId } = fields;
  const { data: books } = useQuery(contactBooksQuery);
  const { data: segments } = useQuery({
    queryKey: ['segments', 'of', contactBookId],
    queryFn: () => getAll<Segment>('/segments', { contactBookId }),
    enabled: contactBookId !== '',
  });
  const { data: topics } = useQuery({
    queryKey: ['topics', 'all'],
    queryFn: () => getAll<Topic>('/topics'),
  });
  return (
    <>
      <TextField
        label={t.from}
        hint={t.fromHint}
        value={fields.from}
        error={errorOf('from')}
        onChange={(event) => change({ from: event.target.value })}
      />
      <TextField
        label={t.replyTo}
        value={fields.replyTo}
        error={errorOf('replyTo')}
        onChange={(event) => change({ replyTo: event.target.value })}
      />
      <SelectField
        label={t.book}
        value={contactBookId}
        error={errorOf('contactBookId')}
        onChange={(event) => change({ contactBookId: event.target.value, segmentId: '' })}
      >
        {books?.map((book) => (
          <option key={book.id} value={book.id}>
            {book.name} ({texts.contacts.count(book._count.contacts)})
          </option>
        ))}
        <OtherChoice path="/contactBooks" chosen={contactBookId} listed={books} />
      </SelectField>
      <SelectField
        label={t.segment}
        value={fields.segmentId}
        error={errorOf('segmentId')}
        onChange={(event) => change({ segmentId: event.target.value })}
      >
        <option value="">{t.everyone}</option>
        {segments?.map((segment) => (
          <option key={segment.id} value={segment.id}>
            {segment.name}
          </option>
        ))}
        <OtherChoice path="/segments" chosen={fields.segmentId} listed={segments} />
      </SelectField>
      <SelectField
        label={t.topic}
        value={fields.topicId}
        error={errorOf('topicId')}
        onChange={(event) => change({ topicId: event.target.value })}
      >
        <option value="">{t.noTopic}</option>
        {topics?.map((topic) => (
          <option key={topic.id} value={topic.id}>
            {topic.name}
          </option>
        ))}
        <OtherChoice path="/topics" chosen={fields.topicId} listed={topics} />
      </SelectField>
    </>
  );
}

interface Choice {
  path: string;
  chosen: string;
  listed: { id: string }[] | undefined;
}

/** What is chosen and not in the list: it was deleted, or is newer than the list. Without it another one would show. */
function OtherChoice({ path, chosen, listed }: Choice) {
  const isOther = chosen !== '' && listed !== undefined && listed.every(({ id }) => id !== chosen);
  const { data, error } = useQuery({
    queryKey: ['chosen', path, chosen],
    queryFn: () => getJson<{ name: string }>(`${path}/${chosen}`),
    enabled: isOther,
    retry: false,
  });
  if (!isOther) return null;
  const isGone = error instanceof ApiError && error.status === 404;
  return <option value={chosen}>{data?.name ?? (isGone ? t.deletedChoice : '…')}</option>;
}

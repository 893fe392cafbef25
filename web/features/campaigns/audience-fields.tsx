import { useQuery } from '@tanstack/react-query';
import type { Segment } from '../../../src/features/audience/segments/segments.schema.ts';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import type { Options } from '../../ui/options.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { CampaignPicker } from './campaign-picker.tsx';
import type { Draft } from './use-draft.ts';

const t = campaignTexts;

export function AudienceFields({ draft }: { draft: Draft }) {
  const { contactBookId, segmentId, topicId, excludeCampaignId } = draft.fields;
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
  const otherBook = useOtherChoice('/contactBooks', contactBookId, books);
  const otherSegment = useOtherChoice('/segments', segmentId, segments);
  const otherTopic = useOtherChoice('/topics', topicId, topics);
  return (
    <>
      <SelectField
        label={t.book}
        {...draft.text('contactBookId')}
        onChange={(event) => draft.change({ contactBookId: event.target.value, segmentId: '' })}
        options={[...optionsOf(books), ...otherBook]}
      />
      <SelectField
        label={t.segment}
        {...draft.text('segmentId')}
        options={[['', t.everyone], ...optionsOf(segments), ...otherSegment]}
      />
      <SelectField
        label={t.topic}
        {...draft.text('topicId')}
        options={[['', t.noTopic], ...optionsOf(topics), ...otherTopic]}
      />
      <CampaignPicker
        label={reportTexts.otherCampaign}
        placeholder={reportTexts.noOtherCampaign}
        status="SENT"
        value={excludeCampaignId}
        error={draft.text('excludeCampaignId').error}
        onChange={(id) =>
          draft.change({ excludeCampaignId: id, notOpened: id === '' ? 'no' : draft.fields.notOpened })
        }
      />
      {excludeCampaignId !== '' && (
        <SelectField
          label={reportTexts.whoOfOther}
          {...draft.text('notOpened')}
          options={[
            ['yes', reportTexts.onlyNotOpened],
            ['no', reportTexts.notSent],
          ]}
        />
      )}
    </>
  );
}

export function SenderFields({ draft }: { draft: Draft }) {
  return (
    <>
      <TextField label={t.from} hint={t.fromHint} {...draft.text('from')} />
      <TextField label={t.replyTo} {...draft.text('replyTo')} />
    </>
  );
}

/**
 * Returns an option for a chosen item that is not in the list, because it was deleted or is newer than the list.
 * Without it, the field would look as if nothing was chosen.
 */
function useOtherChoice(path: string, chosen: string, listed: { id: string }[] | undefined): Options {
  const isOther = chosen !== '' && listed !== undefined && listed.every(({ id }) => id !== chosen);
  const { data, error } = useQuery({
    queryKey: ['chosen', path, chosen],
    queryFn: () => getJson<{ name: string }>(`${path}/${chosen}`),
    enabled: isOther,
    retry: false,
  });
  if (!isOther) return [];
  const isGone = error instanceof ApiError && error.status === 404;
  return [[chosen, data?.name ?? (isGone ? t.deletedChoice : '…')]];
}

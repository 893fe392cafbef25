import { useQuery } from '@tanstack/react-query';
import type { Feed } from '../../../src/features/campaigns/feeds/feeds.schema.ts';
import type { TemplateListItem } from '../../../src/features/content/templates/templates.schema.ts';
import { sendJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { texts } from '../../texts/en.ts';
import { feedTexts } from '../../texts/en/feeds.ts';
import { allZones } from '../../ui/dates/local-times.ts';
import { OWN_ZONE } from '../../ui/dates/time-zone.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { optionsOf, SelectField, SwitchField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';

const t = feedTexts;
const EVERY_DAY = '0';

/** Adds a feed, or changes the given one. */
export function FeedDialog({ feed, onClose }: { feed: Feed | null; onClose(): void }) {
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data: templates = [] } = useQuery({
    queryKey: ['templates', 'list', 'all'],
    queryFn: () => getAll<TemplateListItem>('/templates'),
  });
  const form = useForm(startOf(feed), async (values) => {
    const input = inputOf(feed, {
      ...values,
      contactBookId: values.contactBookId || (books[0]?.id ?? ''),
      templateId: values.templateId || (templates[0]?.id ?? ''),
    });
    await (feed ? sendJson('PATCH', `/feeds/${feed.id}`, input) : sendOnce<Feed>('/feeds', input));
    await refresh('feeds');
    showToast(t.saved);
    onClose();
  });
  const { mode, timezone } = form.values;
  return (
    <FormDialog
      title={feed ? t.edit : t.create}
      form={form}
      action={feed ? texts.common.save : t.createAction}
      onClose={onClose}
    >
      <TextField label={t.url} hint={t.urlHint} {...form.text('url')} type="url" autoFocus required />
      <SelectField label={t.book} {...form.text('contactBookId')} options={optionsOf(books)} />
      <SelectField
        label={t.template}
        hint={templates.length === 0 ? t.needsTemplate : t.templateHint}
        {...form.text('templateId')}
        options={optionsOf(templates)}
      />
      <TextField label={t.from} {...form.text('from')} required />
      <SelectField label={t.mode} {...form.text('mode')} options={Object.entries(t.modes)} />
      {mode === 'digest' && (
        <>
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label={t.weekday}
              {...form.text('weekday')}
              options={t.weekdays.map((day, at) => [String(at), day])}
            />
            <TextField label={t.at} {...form.text('at')} type="time" required />
          </div>
          <SelectField
            label={t.timezone}
            {...form.text('timezone')}
            options={[...new Set([timezone, ...allZones()])].map((zone) => [zone, zone])}
          />
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label={t.minItems}
              hint={t.minItemsHint}
              {...form.text('minItems')}
              inputMode="numeric"
            />
            <TextField label={t.maxItems} {...form.text('maxItems')} inputMode="numeric" />
          </div>
        </>
      )}
      <SwitchField label={t.review} hint={t.reviewHint} {...form.flag('review')} />
    </FormDialog>
  );
}

function startOf(feed: Feed | null) {
  const days = feed?.schedule?.weekdays ?? null;
  return {
    url: feed?.url ?? '',
    contactBookId: feed?.contactBookId ?? '',
    templateId: feed?.templateId ?? '',
    from: feed?.from ?? '',
    mode: feed?.mode ?? 'each',
    weekday: days?.length === 1 ? String(days[0]) : EVERY_DAY,
    at: feed?.schedule?.at ?? '09:00',
    timezone: feed?.schedule?.timezone ?? OWN_ZONE,
    minItems: String(feed?.minItems ?? 1),
    maxItems: String(feed?.maxItems ?? 10),
    review: feed?.review ?? true,
  };
}

/** A schedule with several days, which this dialog does not show, is kept while its day is not changed. */
function inputOf(feed: Feed | null, values: ReturnType<typeof startOf>) {
  const { weekday, at, timezone, minItems, maxItems, ...rest } = values;
  const kept = weekday === startOf(feed).weekday ? (feed?.schedule?.weekdays ?? null) : null;
  const weekdays = weekday === EVERY_DAY ? kept : [Number(weekday)];
  const schedule = values.mode === 'digest' ? { weekdays, at, timezone } : null;
  return { ...rest, schedule, minItems: Number(minItems), maxItems: Number(maxItems) };
}

import { z } from 'zod';
import { dateTime, integerText, pathId, text, timestamp } from '../../platform/schema.ts';
import { html, MAX_LINKS, MAX_MERGE_TAGS, withTags } from '../content/content-limits.ts';
import { mjml } from '../content/mjml.ts';
import { shownTranslations, translationsInput } from '../content/translations.schema.ts';
import { canonicalLanguage } from '../content/translations.ts';
import { editorContent } from '../content/editor-content.schema.ts';
import { mailbox, mailboxes } from '../sending/emails/emails.schema.ts';
import { ratesSchema, trackedSchema } from './report.schema.ts';
import { isLocalTime } from './local-time.ts';
import { readScheduleTime } from './schedule-time.ts';
import { hasContent, shownTestFields, testFields } from './variants.schema.ts';

export const DEFAULT_BATCH_SIZE = 500;
const MAX_BATCH_SIZE = 100_000;
const MAX_BOOKS = 50;
const MAX_COPIES = 10;
const MAX_TEST_ADDRESSES = 20;
const MAX_INT32 = 2 ** 31 - 1;
/** Error messages that follow the name of the field. */
const NOT_BOTH_TIMES = 'cannot be combined with scheduledAt or sendNow';
export const NOT_WITH_TEST = 'cannot be combined with an A/B test';
export const NOT_OPENED_ALONE = 'needs excludeCampaignId, the campaign that was not opened';

const campaignStatus = z.enum(['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'SENT']);
export type CampaignStatus = z.infer<typeof campaignStatus>;

const listFields = {
  id: z.string(),
  name: z.string(),
  from: z.string(),
  subject: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
  status: campaignStatus,
  scheduledAt: timestamp.nullable(),
  total: z.int().describe('The number of recipients when the campaign started; 0 before that'),
  sent: z.int().describe('The number of recipients with at least one delivery attempt'),
  delivered: z.int(),
  opened: z.int().describe('Recipients who opened it, without bots'),
  clicked: z.int().describe('Recipients who clicked a link, without bots'),
  bounced: z.int(),
  complained: z.int(),
  unsubscribed: z.int(),
  rates: ratesSchema,
  tracked: trackedSchema,
  contactBookId: z.string().nullable(),
  topicId: z.string().nullable(),
  segmentId: z.string().nullable(),
};

const campaignListItem = z.object(listFields).meta({ id: 'CampaignListItem' });

export const campaignSchema = z
  .object({
    ...listFields,
    statusReason: z.string().nullable().describe('Why it was paused automatically'),
    editable: z
      .boolean()
      .describe(
        'Whether it can be updated: it is a DRAFT, or it is SCHEDULED or PAUSED and no recipient has been queued yet',
      ),
    previewText: z.string().nullable(),
    html: z.string().nullable(),
    text: z.string().nullable().describe('null: generated from html when the email is sent'),
    content: z.string().nullable().describe('The JSON document of the email editor, as a string'),
    translations: shownTranslations,
    contactBookIds: z.array(z.string()),
    excludeSegmentIds: z.array(z.string()),
    excludeCampaignId: z.string().nullable(),
    notOpened: z.boolean(),
    batchSize: z.int(),
    batchWindowMinutes: z
      .int()
      .describe('Always 0. The next batch starts as soon as there is room in the queue'),
    ratePerMinute: z.int().nullable(),
    tracking: z.object({ opens: z.boolean().nullable(), clicks: z.boolean().nullable() }),
    hardBounced: z.int(),
    replyTo: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    startedAt: timestamp.nullable(),
    sentAt: timestamp.nullable(),
    localTime: z
      .string()
      .nullable()
      .describe('The local time at which each recipient gets it. null: everyone gets it at `scheduledAt`'),
    bestHour: z
      .object({ withinHours: z.int(), holdoutPercent: z.int() })
      .nullable()
      .describe('Set if each recipient gets it at its best hour'),
    showInArchive: z.boolean(),
    contentSavedAt: timestamp.describe(
      'When the subject, preview text, content, text or variants were last changed',
    ),
    ...shownTestFields,
  })
  .meta({ id: 'Campaign' });

const reference = text({ min: 1, max: 256 });
const batchSize = z
  .int()
  .min(1)
  .max(MAX_BATCH_SIZE)
  .nullish()
  .describe(`How many recipients are queued at a time; ${DEFAULT_BATCH_SIZE} by default`);
const scheduledAt = text({ min: 1, max: 200 })
  // The text is parsed again with the database clock when the campaign is scheduled.
  .refine((value) => readScheduleTime(value, new Date()) !== null, {
    error:
      'must be a date-time with a UTC offset, such as 2026-11-15T09:30:00Z, or plain English, such as "tomorrow 9am"',
  })
  .nullish()
  .describe(
    'RFC 3339, or plain English in UTC (`tomorrow 9am`). If absent or up to a minute in the past, the campaign starts now. Times further in the past are rejected',
  );

const localTime = z
  .string()
  .refine(isLocalTime, { error: 'must be a date and time without a UTC offset, such as 2026-11-15T09:00' })
  .nullish()
  .describe(
    'Sends to each recipient when it is this date and time in their time zone, which is the property `timezone` of the contact (an IANA name), or else that of the book. The campaign starts when it is this time in the first time zone of the world (UTC+14). Recipients for whom the time has already passed get the email at the same time on the next day. A time that is skipped when clocks go forward is an hour later; of a time that occurs twice, the second is used. Cannot be combined with `scheduledAt` or an A/B test',
  );

const bestHour = z
  .object({
    withinHours: z.int().min(1).max(24).default(24),
    holdoutPercent: z
      .int()
      .min(0)
      .max(50)
      .default(10)
      .describe(
        'The percentage of recipients that get it at the start; the report compares them with the others',
      ),
  })
  .nullish()
  .describe(
    'Each recipient gets it at the hour of the day at which that contact has opened and clicked most, or else at which its book has, within `withinHours` after the start. Opens and clicks by bots do not count. Cannot be combined with `localTime` or an A/B test',
  );

const copies = mailboxes.refine((value) => value.length <= MAX_COPIES, {
  error: `must have at most ${MAX_COPIES} addresses`,
});

const campaignName = text({ min: 1, max: 200, trim: true });
const campaignSubject = withTags(text({ min: 1, max: 998, trim: true }), 'plain');

const campaignFields = z.object({
  name: campaignName.optional(),
  from: mailbox.optional().describe('An address on a verified domain of your team'),
  subject: campaignSubject
    .optional()
    .describe('Can contain merge tags, such as `{{firstName,fallback=friend}}`'),
  previewText: withTags(text({ max: 500 }), 'plain')
    .nullish()
    .describe('Shown after the subject in the inbox'),
  html: withTags(html({ max: 500_000 }), 'html')
    .nullish()
    .describe(
      `Used instead of \`content\` if both are sent. At most ${MAX_LINKS} links and ${MAX_MERGE_TAGS} merge tags`,
    ),
  text: withTags(text({ max: 500_000 }), 'plain')
    .nullish()
    .describe('The plain text part. By default it is generated from the HTML'),
  content: editorContent.nullish(),
  translations: translationsInput,
  mjml,
  contactBookId: reference.nullish().describe('Required without contactBookIds'),
  contactBookIds: z
    .array(reference)
    .min(1)
    .max(MAX_BOOKS)
    .nullish()
    .describe('Several contact books. An address that is in more than one book gets one email'),
  segmentId: reference
    .nullish()
    .describe(
      'Only contacts that match this segment, in every book. The segment must belong to one of the books',
    ),
  excludeSegmentIds: z
    .array(reference)
    .max(MAX_BOOKS)
    .nullish()
    .describe('Excludes contacts that match any of these segments'),
  topicId: reference.nullish().describe('Only contacts subscribed to this topic'),
  excludeCampaignId: reference
    .nullish()
    .describe('Excludes contacts who have been sent that campaign by the time this one starts'),
  notOpened: z
    .boolean()
    .nullish()
    .describe(
      'With `excludeCampaignId`: sends only to contacts to whom that campaign was delivered and who have neither opened it nor clicked in it. Opens by bots do not count',
    ),
  replyTo: copies.nullish(),
  cc: copies.nullish().describe('Each address gets a copy of every email'),
  bcc: copies.nullish(),
  batchSize,
  ratePerMinute: z
    .int()
    .min(1)
    .max(MAX_INT32)
    .nullish()
    .describe('The maximum number of emails per minute, to warm up a domain. null: no limit'),
  tracking: z
    .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
    .nullish()
    .describe('null: use the setting of the domain'),
  showInArchive: z
    .boolean()
    .nullish()
    .describe(
      'Shows the email publicly in the archives of its books once it is sent, without the data of any contact; false by default. Only this field can be changed in every state',
    ),
  ...testFields,
});

export const campaignUpdate = campaignFields.extend({
  basedOn: dateTime
    .nullish()
    .describe(
      'The `contentSavedAt` of the content that you edited. If the content has changed in the meantime, the response is 409 and nothing is changed',
    ),
  keepVersion: z
    .boolean()
    .nullish()
    .describe('Stores the replaced content as a version, even if the last version is recent'),
});

export const campaignInput = campaignFields
  .extend({
    name: campaignName,
    from: mailbox.describe('An address on a verified domain of your team'),
    subject: campaignSubject.describe('Can contain merge tags, such as `{{firstName,fallback=friend}}`'),
    scheduledAt,
    localTime,
    sendNow: z.boolean().nullish().describe('Start sending right away'),
  })
  .superRefine((campaign, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!campaign.contactBookId && !campaign.contactBookIds) issue('contactBookId', 'is required');
    const { html: own = null, content = null } = campaign;
    if (!campaign.mjml && !hasContent({ html: own, content }, campaign.variants))
      issue('html', 'or content is required');
    if (campaign.notOpened && !campaign.excludeCampaignId) issue('notOpened', NOT_OPENED_ALONE);
    if (campaign.localTime && (campaign.scheduledAt || campaign.sendNow)) issue('localTime', NOT_BOTH_TIMES);
    if (campaign.localTime && campaign.variants) issue('localTime', NOT_WITH_TEST);
  });

const variantNumber = z
  .int()
  .min(0)
  .max(3)
  .nullish()
  .describe('Which variant of an A/B test, from 0; 0 by default');
const shownLanguage = text({ min: 1, max: 35 })
  .refine((tag) => canonicalLanguage(tag) !== null, { error: 'must be a BCP 47 tag, such as de or pt-BR' })
  .nullish()
  .describe('Renders the email as for a contact with this language, instead of the language of the contact');
export const campaignParams = z.object({ campaignId: pathId() });
export const campaignSchedule = z
  .object({ scheduledAt, localTime, bestHour, batchSize })
  .refine((input) => !input.bestHour || !input.localTime, {
    path: ['bestHour'],
    error: 'cannot be combined with localTime',
  })
  .refine((input) => !input.localTime || !input.scheduledAt, { path: ['localTime'], error: NOT_BOTH_TIMES })
  .default({});
export const campaignTest = z.object({
  to: mailboxes
    .refine((value) => value.length > 0 && value.length <= MAX_TEST_ADDRESSES, {
      error: `must have 1 to ${MAX_TEST_ADDRESSES} addresses`,
    })
    .describe('If a contact in the book has this address, the email is rendered for that contact'),
  variant: variantNumber,
  language: shownLanguage,
});
export const campaignPreviewInput = z
  .object({
    variant: variantNumber,
    language: shownLanguage,
    to: mailbox.nullish().describe('The address of a contact in the book. By default the newest contact'),
  })
  .default({});
export const campaignPreview = z
  .object({
    to: z.string().describe('The contact it is rendered for'),
    subject: z.string(),
    html: z.string(),
    text: z.string(),
  })
  .meta({ id: 'CampaignPreview' });
export const campaignQuery = z.object({
  page: integerText(1, MAX_INT32).default(1),
  status: campaignStatus.optional(),
  search: text({ max: 200 }).optional().describe('Text in the name or subject, ignoring case'),
});
export const campaignList = z.object({ campaigns: z.array(campaignListItem), totalPage: z.int() });
export const campaignDone = z.object({ success: z.boolean() });
export const campaignTested = z.object({ success: z.boolean(), emailIds: z.array(z.string()) });

export type Campaign = z.infer<typeof campaignSchema>;
export type CampaignListItem = z.infer<typeof campaignListItem>;
export type CampaignInput = z.output<typeof campaignInput>;
export type CampaignUpdate = z.output<typeof campaignUpdate>;
export type CampaignSchedule = z.output<typeof campaignSchedule>;
export type CampaignPreview = z.infer<typeof campaignPreview>;

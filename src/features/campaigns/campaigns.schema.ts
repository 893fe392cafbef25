import { z } from 'zod';
import {
  cursorPage,
  cursorQuery,
  html,
  integerText,
  MAX_LINKS,
  MAX_MERGE_TAGS,
  pathId,
  text,
  timestamp,
  withFewTags,
} from '../../platform/schema.ts';
import { editorContent } from '../contact-books/contact-books.schema.ts';
import { mailbox, mailboxes } from '../emails/emails.schema.ts';
import { readScheduleTime } from './schedule-time.ts';

export const DEFAULT_BATCH_SIZE = 500;
const MAX_BATCH_SIZE = 100_000;
const MAX_BOOKS = 50;
const MAX_COPIES = 10;
const MAX_TEST_ADDRESSES = 20;
const MAX_INT32 = 2 ** 31 - 1;

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
  total: z.int().describe('Who was in the audience when it started; 0 before'),
  sent: z.int().describe('To whom a first attempt was made'),
  delivered: z.int(),
  unsubscribed: z.int(),
  contactBookId: z.string().nullable(),
  topicId: z.string().nullable(),
  segmentId: z.string().nullable(),
};

const campaignListItem = z.object(listFields).meta({ id: 'CampaignListItem' });

export const campaignSchema = z
  .object({
    ...listFields,
    statusReason: z.string().nullable().describe('Why it paused itself'),
    editable: z
      .boolean()
      .describe('Whether it can be changed: a DRAFT, or SCHEDULED or PAUSED before the first release'),
    previewText: z.string().nullable(),
    html: z.string().nullable(),
    content: z.string().nullable().describe('The JSON document of the email editor, as a string'),
    contactBookIds: z.array(z.string()),
    excludeSegmentIds: z.array(z.string()),
    batchSize: z.int(),
    batchWindowMinutes: z.int().describe('Always 0: the next batch follows as soon as there is room'),
    ratePerMinute: z.int().nullable(),
    tracking: z.object({ opens: z.boolean().nullable(), clicks: z.boolean().nullable() }),
    opened: z.int(),
    clicked: z.int(),
    bounced: z.int(),
    hardBounced: z.int(),
    complained: z.int(),
    replyTo: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    startedAt: timestamp.nullable(),
    sentAt: timestamp.nullable(),
  })
  .meta({ id: 'Campaign' });

const reference = text({ min: 1, max: 256 });
const batchSize = z
  .int()
  .min(1)
  .max(MAX_BATCH_SIZE)
  .nullish()
  .describe(`How many recipients are released at a time; ${DEFAULT_BATCH_SIZE} by default`);
const scheduledAt = text({ min: 1, max: 200 })
  // What it means is read again when the campaign is scheduled, by the clock of the database.
  .refine((value) => readScheduleTime(value, new Date()) !== null, {
    error: 'must be a date-time with an offset, as 2026-11-15T09:30:00Z, or English as "tomorrow 9am"',
  })
  .nullish()
  .describe(
    'RFC 3339, or plain English in UTC (`tomorrow 9am`). Absent or up to a minute past: now. Further in the past is refused',
  );

const copies = mailboxes.refine((value) => value.length <= MAX_COPIES, {
  error: `must name at most ${MAX_COPIES} addresses`,
});

const campaignName = text({ min: 1, max: 200, trim: true });
const campaignSubject = text({ min: 1, max: 998, trim: true });

export const campaignUpdate = z.object({
  name: campaignName.optional(),
  from: mailbox.optional().describe('On a domain that your team has verified'),
  subject: campaignSubject.optional().describe('May hold merge tags, as `{{firstName,fallback=friend}}`'),
  previewText: text({ max: 500 }).nullish().describe('Shown beside the subject in the inbox'),
  html: withFewTags(html({ max: 500_000 }))
    .nullish()
    .describe(
      `Wins where \`content\` is given too. At most ${MAX_LINKS} links and ${MAX_MERGE_TAGS} merge tags`,
    ),
  content: editorContent.nullish(),
  contactBookId: reference.nullish().describe('Required without contactBookIds'),
  contactBookIds: z
    .array(reference)
    .min(1)
    .max(MAX_BOOKS)
    .nullish()
    .describe('Several books; who is in more than one of them gets it once'),
  segmentId: reference
    .nullish()
    .describe('Only who this segment finds, in every book; it belongs to one of them'),
  excludeSegmentIds: z.array(reference).max(MAX_BOOKS).nullish().describe('Nobody whom one of these finds'),
  topicId: reference.nullish().describe('Only who is in this topic'),
  replyTo: copies.nullish(),
  cc: copies.nullish().describe('Each of them gets a copy of every mail'),
  bcc: copies.nullish(),
  batchSize,
  ratePerMinute: z.int().min(1).max(MAX_INT32).nullish().describe('To warm a domain up; null: no limit'),
  tracking: z
    .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
    .nullish()
    .describe("Null: as the domain's own switches are"),
});

export const campaignInput = campaignUpdate
  .extend({
    name: campaignName,
    from: mailbox.describe('On a domain that your team has verified'),
    subject: campaignSubject.describe('May hold merge tags, as `{{firstName,fallback=friend}}`'),
    scheduledAt,
    sendNow: z.boolean().nullish().describe('Starts it at once'),
  })
  .superRefine((campaign, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!campaign.contactBookId && !campaign.contactBookIds) issue('contactBookId', 'is required');
    if (!campaign.html && !campaign.content) issue('html', 'or content is required');
  });

export const campaignParams = z.object({ campaignId: pathId() });
export const campaignSchedule = z.object({ scheduledAt, batchSize }).default({});
export const campaignTest = z.object({
  to: mailboxes
    .refine((value) => value.length > 0 && value.length <= MAX_TEST_ADDRESSES, {
      error: `must name 1 to ${MAX_TEST_ADDRESSES} addresses`,
    })
    .describe('Where a contact of the book has this address, it is rendered for that contact'),
});
export const campaignPreviewInput = z
  .object({
    to: mailbox
      .nullish()
      .describe('The address of a contact of the book; without it the newest contact is taken'),
  })
  .default({});
export const campaignPreview = z
  .object({
    to: z.string().describe('Whom it is rendered for'),
    subject: z.string(),
    html: z.string(),
    text: z.string(),
  })
  .meta({ id: 'CampaignPreview' });
export const campaignQuery = z.object({
  page: integerText(1, MAX_INT32).default(1),
  status: campaignStatus.optional(),
  search: text({ max: 200 }).optional().describe('In name or subject, without regard to case'),
});
export const campaignList = z.object({ campaigns: z.array(campaignListItem), totalPage: z.int() });
export const campaignDone = z.object({ success: z.boolean() });
export const campaignTested = z.object({ success: z.boolean(), emailIds: z.array(z.string()) });

const recipientState = z.enum(['pending', 'released', 'skipped']);
const campaignRecipient = z
  .object({
    email: z.string(),
    contactBookId: z.string(),
    contactId: z.string(),
    state: recipientState,
    reason: z
      .enum(['unsubscribed', 'suppressed', 'deleted', 'left_topic'])
      .nullable()
      .describe('Why somebody was skipped'),
    emailId: z.string().nullable(),
    status: z.string().nullable().describe("The email's"),
  })
  .meta({ id: 'CampaignRecipient' });
export const recipientQuery = z.object({ ...cursorQuery, state: recipientState.optional() });
export const recipientPage = cursorPage(campaignRecipient);

export type Campaign = z.infer<typeof campaignSchema>;
export type CampaignListItem = z.infer<typeof campaignListItem>;
export type CampaignInput = z.output<typeof campaignInput>;
export type CampaignUpdate = z.output<typeof campaignUpdate>;
export type CampaignSchedule = z.output<typeof campaignSchedule>;
export type CampaignRecipient = z.infer<typeof campaignRecipient>;
export type RecipientQuery = z.output<typeof recipientQuery>;
export type CampaignPreview = z.infer<typeof campaignPreview>;

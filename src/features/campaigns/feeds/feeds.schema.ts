import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp, timeZone } from '../../../platform/schema.ts';
import { mailbox } from '../../sending/emails/emails.schema.ts';

const MAX_ITEMS = 50;
const MAX_URL_LENGTH = 2_000;

const mode = z
  .enum(['each', 'digest'])
  .describe('`each`: a campaign for each new item. `digest`: one for all new items, by `schedule`');
const status = z.enum(['ACTIVE', 'PAUSED']);

const url = text({ min: 1, max: MAX_URL_LENGTH }).superRefine((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || !/^https?:\/\//i.test(value))
    context.addIssue({ code: 'custom', message: 'must be a URL that starts with https:// or http://' });
  else if (parsed.username || parsed.password)
    context.addIssue({ code: 'custom', message: 'must not contain a user name or password' });
});

const weekdays = z
  .array(z.int().min(1).max(7))
  .min(1)
  .max(7)
  .refine((days) => new Set(days).size === days.length, { error: 'must not contain duplicates' });

const schedule = z.object({
  weekdays: weekdays.nullish().describe('From 1 for Monday to 7 for Sunday. null: every day'),
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day, such as 09:00' }),
  timezone: timeZone.describe('The IANA time zone of `at`'),
});

const SCHEDULE =
  'The times at which campaigns are made from the new items. Required for digests. Without it, each new item becomes a campaign when it is found';

export const feedSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    title: z.string().nullable().describe('The title that the feed gives itself'),
    contactBookId: z.string(),
    templateId: z.string(),
    from: z.string(),
    mode,
    schedule: z
      .object({ weekdays: z.array(z.int()).nullable(), at: z.string(), timezone: z.string() })
      .nullable()
      .describe(SCHEDULE),
    minItems: z.int().describe('With fewer new items than this, a digest waits for the next time'),
    maxItems: z
      .int()
      .describe(
        'The most items of a digest, which are the latest; and the most campaigns that are made at a time',
      ),
    review: z.boolean().describe('true: campaigns are made as drafts. false: they are sent'),
    status,
    lastCheckedAt: timestamp.nullable(),
    nextIssueAt: timestamp.nullable().describe('The next time of the schedule'),
    waiting: z.int().describe('New items that wait for their campaign'),
    error: z.string().nullable().describe('Why the feed cannot be read, or why no campaign could be made'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Feed' });

const fields = z.object({
  url: url.optional().describe('RSS 2, Atom or JSON Feed, at most 2 MB, at a public address'),
  contactBookId: text({ min: 1, max: 256 }).optional(),
  templateId: text({ min: 1, max: 256 })
    .optional()
    .describe(
      'The content. `{% for item in feed.items %}` has `title`, `url`, `summary`, `image` and `date`',
    ),
  from: mailbox.optional().describe('An address on a verified domain of your team'),
  mode: mode.optional(),
  schedule: schedule.nullish().describe(SCHEDULE),
  minItems: z.int().min(1).max(MAX_ITEMS).optional().describe('1 by default'),
  maxItems: z.int().min(1).max(MAX_ITEMS).optional().describe('10 by default'),
  review: z.boolean().optional().describe('true by default: a person looks at each campaign and sends it'),
});

const SENSE = { path: ['minItems'], error: 'must not be more than maxItems' };

export const feedInput = fields
  .required({ url: true, contactBookId: true, templateId: true, from: true })
  .refine(({ minItems = 1, maxItems = Math.max(10, minItems) }) => minItems <= maxItems, SENSE)
  .refine(({ mode: chosen = 'each', schedule: given }) => chosen === 'each' || given, {
    path: ['schedule'],
    error: 'is required for a digest',
  });
export const feedUpdate = fields.extend({
  status: status.optional().describe('`PAUSED`: the feed is not read. What appears meanwhile counts as new'),
});

export const feedParams = z.object({ feedId: pathId() });
export const feedQuery = z.object({ ...cursorQuery, contactBookId: text({ min: 1, max: 256 }).optional() });
export const feedPage = cursorPage(feedSchema);
export const feedDeleted = z.object({ id: z.string(), success: z.boolean() });
export const feedChecked = z.object({
  feed: feedSchema,
  newItems: z.int().describe('Items that were not known before. At the first look none is new'),
  campaignIds: z.array(z.string()).describe('Campaigns that were made by this look'),
});

export type Feed = z.infer<typeof feedSchema>;
export type FeedInput = z.output<typeof feedInput>;
export type FeedUpdate = z.output<typeof feedUpdate>;

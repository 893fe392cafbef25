import { z } from 'zod';
import { BOUNCE_REASONS } from '../../../mail/bounces/bounce-reason.ts';
import { FAILURE_CLASSES } from '../../../mail/bounces/failure-classes.ts';
import { cursorPage, cursorQuery, text, timestamp } from '../../../platform/schema.ts';

const RECIPIENT_STATES = [
  'waiting',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'skipped',
] as const;

const SKIP_REASONS = ['unsubscribed', 'suppressed', 'deleted', 'left_topic', 'dropped'] as const;

const state = z.enum(RECIPIENT_STATES);

const campaignRecipient = z
  .object({
    email: z.string(),
    contactBookId: z.string(),
    contactId: z.string(),
    state: state.describe('The furthest state. A recipient who clicked has also opened, and so on'),
    reason: z
      .enum([...SKIP_REASONS, ...BOUNCE_REASONS])
      .nullable()
      .describe('Why the recipient was skipped, or why the email bounced'),
    class: z.enum(FAILURE_CLASSES).nullable().describe('The class of the bounce'),
    emailId: z.string().nullable(),
    status: z.string().nullable().describe('The status of the email'),
    openedAt: timestamp.nullable().describe('When a person first opened it'),
    clickedAt: timestamp.nullable().describe('When a person first clicked a link in it'),
    variant: z.int().nullable().describe('The variant of an A/B test, from 0'),
    dueAt: timestamp
      .nullable()
      .describe(
        'When it is the `localTime` of the campaign in the time zone of the recipient. null without `localTime`',
      ),
  })
  .meta({ id: 'CampaignRecipient' });

const filters = {
  state: state
    .optional()
    .describe(
      'Recipients who have reached this state: `delivered` includes those who opened the email, and `sent` includes everyone with a delivery attempt, even if the email bounced. `waiting`: no attempt yet. `unsubscribed`: by a link in this campaign',
    ),
  search: text({ max: 200 })
    .optional()
    .describe('Text in the address or the name of the contact, ignoring case'),
};

export const recipientQuery = z.object({
  ...cursorQuery,
  ...filters,
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('`csv` returns the whole list as a CSV file, like the header `Accept: text/csv`'),
});
export const recipientFileQuery = z.object(filters);
export const recipientPage = cursorPage(campaignRecipient);

export type RecipientState = (typeof RECIPIENT_STATES)[number];
export type ListedRecipient = z.infer<typeof campaignRecipient>;
export type RecipientFilters = z.output<typeof recipientFileQuery>;
export type RecipientQuery = Omit<z.output<typeof recipientQuery>, 'format'>;

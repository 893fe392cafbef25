import { z } from 'zod';
import { parseAddress, parseDomain } from '../../../mail/mime/address.ts';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';

const MAX_LISTED = 500;
const MAX_BOOKS = 100;
const MAX_COUNT = 1_000_000;

/** The key of an address, or a domain in A-labels, as `decidePolicy` compares them. */
function toEntry(written: string): string | null {
  const bare = written.startsWith('@') ? written.slice(1) : written;
  return bare.includes('@') ? (parseAddress(bare)?.key ?? null) : parseDomain(bare);
}

const entry = text({ min: 1, max: 320, trim: true })
  .refine((written) => toEntry(written) !== null, { error: 'must be an email address or a domain' })
  .transform((written) => toEntry(written)!);
const domain = text({ min: 1, max: 253, trim: true })
  .refine((written) => parseDomain(written) !== null, { error: 'must be a domain' })
  .transform((written) => parseDomain(written)!);

const entries = z.array(entry).max(MAX_LISTED);
const limit = z.int().min(1).max(MAX_COUNT).nullable();
const links = z.union([z.enum(['any', 'none']), z.array(domain).min(1).max(MAX_LISTED)]);
const name = text({ min: 1, max: 200, trim: true });
const mode = z
  .enum(['draft_only', 'approve_all', 'approve_new', 'free'])
  .describe(
    '`draft_only`: sends nothing. `approve_all`: a person approves every email. `approve_new`: a person approves emails to people whom the mailbox has neither written to nor heard from. `free`: sends within the other rules',
  );
const attachments = z.enum(['any', 'none', 'from_thread']);
const taint = z
  .enum(['strict', 'off'])
  .describe(
    '`strict`: a key that has read what an outsider wrote sends for 24 hours only into that thread, to people who were in it, without links and files that did not come from you. Anything else waits for approval',
  );

const recipients = {
  allow: entries.describe(
    'Addresses and domains. If there are any, or any books, no one else gets mail, except people in the thread',
  ),
  deny: entries.describe(
    'Addresses and domains that never get mail. An address counts with any tag: `ada+tag@example.com`',
  ),
  threadParticipants: z.boolean().describe('Whether people in the thread of a reply are allowed'),
  contactBookIds: z.array(pathId()).max(MAX_BOOKS).describe('Subscribed contacts of these books are allowed'),
};
const limits = {
  maxRecipients: limit.describe('The most addresses of one email. Null: no limit'),
  maxPerHour: limit.describe('The most emails that a key submits in an hour'),
  maxPerDay: limit.describe('The most emails that a key submits in 24 hours'),
  maxNewRecipientsPerDay: limit.describe(
    'The most addresses in 24 hours that a key has not written to before',
  ),
};

export const sendPolicySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    mode,
    recipients: z.object({
      allow: z.array(z.string()),
      deny: z.array(z.string()),
      threadParticipants: z.boolean(),
      contactBookIds: z.array(z.string()),
    }),
    ...limits,
    links: z.union([z.enum(['any', 'none']), z.array(z.string())]).describe('Where links may lead'),
    attachments: attachments.describe('`from_thread`: only files that are in the thread of a reply'),
    bcc: z.boolean().describe('Whether emails may have recipients that no header shows'),
    taint,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'SendPolicy' });

export const sendPolicyInput = z.object({
  name,
  mode,
  recipients: z
    .object({
      allow: recipients.allow.default([]),
      deny: recipients.deny.default([]),
      threadParticipants: recipients.threadParticipants.default(true),
      contactBookIds: recipients.contactBookIds.default([]),
    })
    .default({ allow: [], deny: [], threadParticipants: true, contactBookIds: [] }),
  maxRecipients: limits.maxRecipients.default(null),
  maxPerHour: limits.maxPerHour.default(null),
  maxPerDay: limits.maxPerDay.default(null),
  maxNewRecipientsPerDay: limits.maxNewRecipientsPerDay.default(null),
  links: links.default('any'),
  attachments: attachments.default('any'),
  bcc: z.boolean().default(false),
  taint: taint.default('strict'),
});

export const sendPolicyUpdate = z.object({
  name: name.optional(),
  mode: mode.optional(),
  recipients: z
    .object({
      allow: recipients.allow.optional(),
      deny: recipients.deny.optional(),
      threadParticipants: recipients.threadParticipants.optional(),
      contactBookIds: recipients.contactBookIds.optional(),
    })
    .optional()
    .describe('Lists that are not given stay as they are'),
  maxRecipients: limits.maxRecipients.optional(),
  maxPerHour: limits.maxPerHour.optional(),
  maxPerDay: limits.maxPerDay.optional(),
  maxNewRecipientsPerDay: limits.maxNewRecipientsPerDay.optional(),
  links: links.optional(),
  attachments: attachments.optional(),
  bcc: z.boolean().optional(),
  taint: taint.optional(),
});

export const sendPolicyParams = z.object({ policyId: pathId() });
export const sendPolicyQuery = z.object(cursorQuery);
export const sendPolicyPage = cursorPage(sendPolicySchema);
export const sendPolicyDeleted = z.object({ id: z.string(), success: z.boolean() });

export type SendPolicy = z.infer<typeof sendPolicySchema>;
export type SendPolicyInput = z.output<typeof sendPolicyInput>;
export type SendPolicyUpdate = z.output<typeof sendPolicyUpdate>;

/** Why an email of a key with a send policy was held or blocked. */
export const policyReason = z
  .object({
    rule: z.string().describe('The field of the send policy that decided'),
    sentence: z.string().describe('Why, and what would be allowed'),
  })
  .meta({ id: 'PolicyReason' });

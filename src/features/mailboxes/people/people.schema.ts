import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { text, timestamp } from '../../../platform/schema.ts';
import { eachOwnColumn } from '../../audience/own-fields/own-fields.ts';

export const personParams = z.object({
  email: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
    .transform((value) => parseAddress(value)!)
    .meta({ format: 'email' }),
});
export const personUpdate = z.object({
  notes: text({ max: 10_000 }).describe('Plain text. Empty removes the notes'),
});
export const personAnswer = z
  .object({
    email: z.string(),
    names: z.array(z.string()).max(10).describe('Names in mail and contact books, the latest first'),
    notes: z.string().describe('What the team has written down about the person'),
    contacts: z
      .array(
        z.object({
          id: z.string(),
          contact_book_id: z.string(),
          contact_book: z.string(),
          ...eachOwnColumn(() => z.string().nullable()),
          subscribed: z.boolean(),
          properties: z.record(z.string(), z.unknown()),
        }),
      )
      .max(20),
    threads: z
      .array(
        z.object({
          id: z.string(),
          mailbox_id: z.string(),
          subject: z.string(),
          last_message_at: timestamp,
        }),
      )
      .max(20)
      .describe('The latest conversations in mailboxes that you may read'),
    campaigns: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          sent_at: timestamp,
          opened: z.boolean(),
          clicked: z.boolean(),
        }),
      )
      .max(20),
    automations: z
      .array(z.object({ id: z.string(), name: z.string(), status: z.string(), started_at: timestamp }))
      .max(20),
    blocked: z.boolean().describe('Whether a mailbox that you may read has blocked the person'),
    blocked_in: z.array(z.string()).max(100).describe('The IDs of mailboxes that have blocked the person'),
  })
  .meta({ id: 'PersonProfile' });

export type PersonProfile = z.infer<typeof personAnswer>;

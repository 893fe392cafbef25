import { z } from 'zod';
import { parseAddress } from '../../mail/address.ts';
import { cursorPage, cursorQuery, plainId, text, timestamp } from '../../platform/schema.ts';

export const MAX_UNDO_SECONDS = 120;
export const DEFAULT_UNDO_SECONDS = 10;

const mailboxSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    name: z.string().nullable().describe('Stands before the address in what it sends'),
    undo_seconds: z.int().describe('How long what it sends is held back, so that it can be undone'),
    catch_all: z
      .boolean()
      .describe('Whether it also takes what comes to addresses of its domain that nobody has'),
    created_at: timestamp,
  })
  .meta({ id: 'Mailbox' });

const name = text({ min: 1, max: 200, trim: true }).refine((value) => !/\p{Cc}/u.test(value), {
  error: 'must not hold line breaks or other control characters',
});
const undoSeconds = z.int().min(0).max(MAX_UNDO_SECONDS);

export const mailboxInput = z.object({
  address: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a mail address' })
    .transform((value) => parseAddress(value)!)
    .meta({ format: 'email' })
    .describe('On a domain that your team has verified'),
  name: name.nullish(),
  undo_seconds: undoSeconds.default(DEFAULT_UNDO_SECONDS),
  catch_all: z.boolean().default(false),
});
export const mailboxUpdate = z.object({
  name: name.nullish(),
  undo_seconds: undoSeconds.optional(),
  catch_all: z.boolean().optional(),
});
export const mailboxParams = z.object({ id: plainId });
export const mailboxQuery = z.object(cursorQuery);
export const mailboxAnswer = mailboxSchema;
export const mailboxPage = cursorPage(mailboxSchema);
export const mailboxDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Mailbox = z.infer<typeof mailboxSchema>;
export type MailboxInput = z.output<typeof mailboxInput>;
export type MailboxUpdate = z.output<typeof mailboxUpdate>;
export type MailboxQuery = z.output<typeof mailboxQuery>;

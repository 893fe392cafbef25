import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { MAILBOX_ROLES } from '../../api/mailbox-access.ts';
import { cursorPage, cursorQuery, plainId, text, timestamp } from '../../../platform/schema.ts';

export const MAX_UNDO_SECONDS = 120;
export const DEFAULT_UNDO_SECONDS = 10;

export const ASSISTANT_ACTIONS = [
  'draft_reply',
  'forward_thread',
  'add_labels',
  'assign_thread',
  'mark_as_spam',
  'archive',
  'move_to_trash',
] as const;
export const ASSISTANT_TONES = [
  'concise_professional',
  'concise_casual',
  'expanded_professional',
  'expanded_casual',
] as const;

const assistant = z
  .object({
    instructions: text({ max: 4000 }).nullable().describe('What to know and how to answer'),
    tone: z.enum(ASSISTANT_TONES).nullable(),
    actions: z
      .array(z.enum(ASSISTANT_ACTIONS))
      .max(ASSISTANT_ACTIONS.length)
      .describe('What it is meant to do. What it may do is decided by its key'),
  })
  .describe(
    'What assistants are told about the mailbox, by MCP and by the inboxes of the Resend API. Posthorn runs no model itself.',
  );

const mailboxSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    name: z.string().nullable().describe('Shown to recipients next to the address'),
    undo_seconds: z.int().describe('How long a sent message is held so that it can be undone'),
    catch_all: z
      .boolean()
      .describe('Whether it also receives messages to addresses of its domain that have no mailbox'),
    access: z
      .enum(['team', 'listed'])
      .describe('`team`: open to everyone in the team. `listed`: only to the people in its access list'),
    role: z
      .enum(MAILBOX_ROLES)
      .nullable()
      .describe('What the caller may do in it. Null for owners and admins who are not in its access list'),
    assistant: assistant.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Mailbox' });

const name = text({ min: 1, max: 200, trim: true }).refine((value) => !/\p{Cc}/u.test(value), {
  error: 'must not contain line breaks or other control characters',
});
const undoSeconds = z.int().min(0).max(MAX_UNDO_SECONDS);

export const mailboxInput = z.object({
  address: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
    .transform((value) => parseAddress(value)!)
    .meta({ format: 'email' })
    .describe('An address on a verified domain of your team'),
  name: name.nullish(),
  undo_seconds: undoSeconds.default(DEFAULT_UNDO_SECONDS),
  catch_all: z.boolean().default(false),
  access: z
    .enum(['team', 'listed'])
    .optional()
    .describe('`listed`: only the person who creates it has access at first. Default: `team`'),
});
export const mailboxUpdate = z.object({
  name: name.nullish(),
  undo_seconds: undoSeconds.optional(),
  catch_all: z.boolean().optional(),
  assistant: assistant.nullish(),
});
export const mailboxParams = z.object({ id: plainId });
export const mailboxQuery = z.object(cursorQuery);
export const mailboxAnswer = mailboxSchema;
export const mailboxPage = cursorPage(mailboxSchema);
export const mailboxDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Assistant = z.infer<typeof assistant>;
export type Mailbox = z.infer<typeof mailboxSchema>;
export type MailboxInput = z.output<typeof mailboxInput>;
export type MailboxUpdate = z.output<typeof mailboxUpdate>;

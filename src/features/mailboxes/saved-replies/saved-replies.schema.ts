import { z } from 'zod';
import { KEYWORD } from '../../../mail/imap/keyword-form.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';
import { attachmentNumber } from '../reading/threads.schema.ts';

export const MAX_HTML_LENGTH = 100_000;

const MAX_ACTIONS = 20;

const action = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('label'),
    value: z
      .string()
      .regex(KEYWORD, {
        error: 'must be the keyword of a label: 1 to 100 ASCII characters without spaces',
      })
      .describe('The keyword of a label'),
  }),
  z.object({
    type: z.literal('assign'),
    user_id: plainId.describe('A person with access to the mailbox, or `me` for who sends the reply'),
  }),
  z.object({ type: z.literal('archive') }),
]);
const actions = z.array(action).max(MAX_ACTIONS).describe('Done to the thread when the reply is sent');
const folder = text({ min: 1, max: 100, trim: true });

const savedReplySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    html: z.string().describe('Sanitized exactly as in webmail'),
    updated_at: timestamp,
    folder: z.string().nullable().describe('The heading under which webmail lists it'),
    actions,
    attachments: z
      .array(
        z.object({
          n: z.int(),
          filename: z.string().nullable(),
          content_type: z.string(),
          content_id: z.string().nullable(),
          size: z.int().describe('In bytes'),
        }),
      )
      .describe('Sent with the reply'),
  })
  .meta({ id: 'SavedReply' });

const name = text({ min: 1, max: 200, trim: true });
const html = text({ max: MAX_HTML_LENGTH }).describe(
  'Sanitized before it is stored. The limit also applies to the result',
);

export const savedReplyInput = z.object({
  name,
  html,
  folder: folder.nullish(),
  actions: actions.default([]),
});
export const savedReplyUpdate = z
  .object({
    name: name.optional(),
    html: html.optional(),
    folder: folder.nullable().optional(),
    actions: actions.optional(),
  })
  .refine((update) => Object.values(update).some((value) => value !== undefined), {
    error: 'must have name, html, folder or actions',
  });
export const fillInput = z.object({
  to: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
    .transform((value) => parseAddress(value)!)
    .meta({ format: 'email' })
    .describe('The recipient'),
});
export const fillMessageInput = fillInput.extend({
  html: text({ max: MAX_HTML_LENGTH }).describe('The HTML to fill in. It is neither sanitized nor stored'),
});

export const savedReplyParams = z.object({ id: plainId, replyId: plainId });
export const replyFileParams = savedReplyParams.extend({ n: attachmentNumber });
export const savedReplyAnswer = savedReplySchema;
export const savedReplyList = z.object({ items: z.array(savedReplySchema) });
export const savedReplyDeleted = z.object({ id: z.string(), success: z.boolean() });
export const savedReplyFilled = z.object({
  html: z.string(),
  unfilled: z
    .array(z.string())
    .describe('Merge tags without a value for this recipient and without a fallback. They stay in the HTML'),
  unknown: z
    .array(z.string())
    .describe('Unfilled merge tags that are not a field, variable or property of any contact'),
});
/** A message that is being written has no files and actions. */
export const savedReplyFilledWhole = savedReplyFilled.extend({
  actions: savedReplySchema.shape.actions,
  attachments: savedReplySchema.shape.attachments,
});

export type SavedReply = z.infer<typeof savedReplySchema>;
export type SavedReplyAction = z.infer<typeof action>;
export type SavedReplyInput = z.output<typeof savedReplyInput>;
export type SavedReplyUpdate = z.output<typeof savedReplyUpdate>;

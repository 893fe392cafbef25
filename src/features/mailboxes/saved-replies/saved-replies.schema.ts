import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

export const MAX_HTML_LENGTH = 100_000;

const savedReplySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    html: z.string().describe('Sanitized exactly as in webmail'),
    updated_at: timestamp,
  })
  .meta({ id: 'SavedReply' });

const name = text({ min: 1, max: 200, trim: true });
const html = text({ max: MAX_HTML_LENGTH }).describe(
  'Sanitized before it is stored. The limit also applies to the result',
);

export const savedReplyInput = z.object({ name, html });
export const savedReplyUpdate = z
  .object({ name: name.optional(), html: html.optional() })
  .refine((update) => update.name !== undefined || update.html !== undefined, {
    error: 'must have name, html or both',
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

export type SavedReply = z.infer<typeof savedReplySchema>;
export type SavedReplyInput = z.output<typeof savedReplyInput>;
export type SavedReplyUpdate = z.output<typeof savedReplyUpdate>;

import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';

export const suppressionReason = z.enum(['HARD_BOUNCE', 'COMPLAINT', 'MANUAL', 'ERASED']);

const suppressionSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    reason: suppressionReason.describe('`ERASED`: the person was erased with `DELETE /contacts`'),
    createdAt: timestamp,
  })
  .meta({ id: 'Suppression' });

export const suppressionInput = z.object({
  email: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
    .meta({ format: 'email' }),
});
export const suppressionAnswer = suppressionSchema;
export const suppressionParams = z.object({ suppressionId: pathId() });
export const suppressionQuery = z.object({
  ...cursorQuery,
  email: text({ min: 1, max: 320 }).optional().describe('Only this address'),
  reason: suppressionReason.optional().describe('Only addresses that are suppressed for this reason'),
});
export const suppressionPage = cursorPage(suppressionSchema);
export const suppressionDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Suppression = z.infer<typeof suppressionSchema>;

import { z } from 'zod';
import { plainId, text } from '../../../platform/schema.ts';

export const MAX_SIGNATURES = 100;
export const MAX_SIGNATURE = 100_000;

const name = text({ min: 1, max: 200, trim: true });

const signature = z
  .object({
    id: z.string(),
    name: z.string(),
    html: z.string().describe('Sanitized exactly as in webmail'),
    user_id: z.string().nullable().describe('The only person who uses it. Null: everyone'),
    address_id: z
      .string()
      .nullable()
      .describe('The only further address that it is for. Null: all addresses of the mailbox'),
    is_default: z.boolean().describe('Whether it is used without being chosen'),
  })
  .meta({ id: 'Signature' });
const signatureFields = {
  name,
  html: text({ max: MAX_SIGNATURE }).describe('Sanitized before it is stored'),
  user_id: plainId.nullish(),
  address_id: plainId.nullish(),
  is_default: z.boolean().optional(),
};
export const signatureInput = z.object(signatureFields);
export const signatureUpdate = z
  .object({ ...signatureFields, name: name.optional(), html: signatureFields.html.optional() })
  .refine((update) => Object.values(update).some((value) => value !== undefined), {
    error: 'must have a field to change',
  });
export const signatureParams = z.object({ id: plainId, signatureId: plainId });
export const signatureAnswer = signature;
export const signatureList = z.object({ items: z.array(signature).max(MAX_SIGNATURES) });
export const signatureDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Signature = z.infer<typeof signature>;
export type SignatureInput = z.output<typeof signatureInput>;
export type SignatureUpdate = z.output<typeof signatureUpdate>;

import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

export const MAX_ADDRESSES = 100;

const name = text({ min: 1, max: 200, trim: true }).refine((value) => !/\p{Cc}/u.test(value), {
  error: 'must not contain line breaks or other control characters',
});

const mailboxAddress = z
  .object({
    id: z.string(),
    address: z.string(),
    name: z
      .string()
      .nullable()
      .describe('Shown to recipients next to the address. Null: the name of the mailbox'),
    created_at: timestamp,
  })
  .meta({ id: 'MailboxAddress' });

export const addressInput = z.object({
  address: text({ min: 1, max: 320 })
    .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
    .transform((value) => parseAddress(value)!)
    .meta({ format: 'email' })
    .describe('An address on a verified domain of your team'),
  name: name.nullish(),
});
export const addressUpdate = z.object({ name: name.nullable() });
export const addressParams = z.object({ id: plainId, addressId: plainId });
export const addressAnswer = mailboxAddress;
export const addressList = z.object({ items: z.array(mailboxAddress).max(MAX_ADDRESSES) });
export const addressDeleted = z.object({ id: z.string(), success: z.boolean() });

export type MailboxAddress = z.infer<typeof mailboxAddress>;
export type AddressInput = z.output<typeof addressInput>;

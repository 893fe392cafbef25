import { z } from 'zod';
import { parseAddress, parseDomain } from '../../../mail/mime/address.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

export const MAX_BLOCKS = 1_000;

const block = z
  .object({
    id: z.string(),
    entry: z.string().describe('An address, or @ and a domain'),
    action: z.enum(['spam', 'reject']),
    created_at: timestamp,
  })
  .meta({ id: 'BlockedSender' });

/** Returns the normalised form of an address, a domain, or @ and a domain. */
function normalizeEntry(entry: string): string | null {
  const trimmed = entry.trim();
  const address = parseAddress(trimmed);
  if (address) return address.key;
  const domain = parseDomain(trimmed.replace(/^@/, ''));
  return domain && `@${domain}`;
}

export const blockInput = z.object({
  entry: text({ min: 1, max: 320 })
    .refine((value) => normalizeEntry(value) !== null, { error: 'must be an email address or a domain' })
    .transform((value) => normalizeEntry(value)!)
    .meta({ examples: ['mallory@example.org', '@example.org'] })
    .describe('An address or a domain'),
  action: z
    .enum(['spam', 'reject'])
    .default('spam')
    .describe(
      '`spam` moves messages of the sender to spam. `reject` rejects them with 550 at RCPT if the envelope names the sender; a message that has the sender only in From goes to spam.',
    ),
});
export const blockParams = z.object({ id: plainId, blockId: plainId });
export const blockAnswer = block;
export const blockList = z.object({ items: z.array(block).max(MAX_BLOCKS) });
export const blockDeleted = z.object({ id: z.string(), success: z.boolean() });

export type BlockedSender = z.infer<typeof block>;
export type BlockInput = z.output<typeof blockInput>;

/**
 * `recipient-variables`: one request for up to 1,000 recipients, each of whom gets a message with their own values in
 * `%recipient.name%` (content-source.ts).
 */
import { parseMailbox } from '../../../mail/mime/address.ts';
import { invalidField } from '../../../platform/errors.ts';

export const MAX_BATCH = 1_000;

export type Variables = Record<string, unknown>;
/** The variables of each recipient, by normalised address. */
export type RecipientVariables = Map<string, Variables>;

export function readRecipientVariables(field: string, given: Record<string, unknown>): RecipientVariables {
  const byAddress = Object.entries(given);
  if (byAddress.length > MAX_BATCH) throw invalidField(field, `must have at most ${MAX_BATCH} recipients`);
  const variables: RecipientVariables = new Map();
  for (const [address, values] of byAddress) {
    const mailbox = parseMailbox(address);
    if (!mailbox || typeof values !== 'object' || values === null || Array.isArray(values))
      throw invalidField(field, 'must have an object for each email address');
    variables.set(mailbox.key, values as Variables);
  }
  return variables;
}

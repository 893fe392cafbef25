/**
 * `recipient-variables`: one request for up to 1,000 recipients, each of whom gets a message with their own values in
 * `%recipient.name%`. As at Mailgun, values are inserted without escaping, and a variable that a recipient does not
 * have stays in the text.
 */
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
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

const PLACE = /%(recipient(?:\.[^%\r\n]{1,200}|_email|_name|_fname|_lname)?)%/g;

export type Render = (recipient: NamedAddress, variables: Variables) => string;

/** Finds the positions of the variables once, because the same text is rendered for each recipient. */
export function compile(text: string): Render {
  const pieces = text.split(PLACE);
  if (pieces.length === 1) return () => text;
  return (recipient, variables) =>
    pieces
      .map((piece, at) => (at % 2 === 0 ? piece : (valueOf(piece, recipient, variables) ?? `%${piece}%`)))
      .join('');
}

function valueOf(place: string, recipient: NamedAddress, variables: Variables): string | undefined {
  if (place === 'recipient' || place === 'recipient_email') return recipient.email;
  if (place === 'recipient_name') return recipient.name ?? '';
  if (place === 'recipient_fname') return recipient.name?.split(' ')[0] ?? '';
  if (place === 'recipient_lname') return recipient.name?.split(' ').slice(1).join(' ') ?? '';
  const name = place.slice('recipient.'.length);
  if (!Object.hasOwn(variables, name)) return undefined;
  const value = variables[name];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

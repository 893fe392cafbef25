/**
 * What the columns of a CSV file contain, by their names and first values. The web app imports this file too, so that
 * its import page shows what the server would choose. It may import only files with names.
 */
import { propertyKey } from '../../../../mail/html/tag-names.ts';
import { eachOwnField, OWN_FIELD_NAMES, OWN_FIELDS } from '../../own-fields/own-fields.ts';
import { isVariableName } from '../../contact-books/variable-names.ts';

/**
 * `subscribed` and `unsubscribed` contain yes or no, `status` contains a word such as "cleaned". Several columns can say
 * whether someone is subscribed; any of them can say that the person has left.
 */
export const CONTACT_FIELDS = ['email', ...OWN_FIELD_NAMES, 'subscribed', 'unsubscribed', 'status'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

export const SUBSCRIPTION_FIELDS: readonly ContactField[] = ['subscribed', 'unsubscribed', 'status'];

/** Rows that are read to decide whether a column with the name of a status contains one. */
export const SAMPLE_ROWS = 200;

/** By their compact names. */
const KNOWN_NAMES: Record<ContactField, string> = {
  email: 'email emailaddress mail email1value',
  ...eachOwnField((name) => OWN_FIELDS[name].imported),
  subscribed:
    'subscribed issubscribed optedin optin hasoptedin emailoptin acceptsmarketing acceptsemailmarketing emailmarketingconsent',
  unsubscribed:
    'unsubscribed isunsubscribed unsubscribe unsubscribedat unsubscribeddate unsubscribedate unsubscribedon unsubtime ' +
    'unsubscribedfromallemail optedout optout hasoptedout emailoptout optedoutofemail optedoutat optoutdate optouttime ' +
    'cleaned cleanedat cleantime bounced bouncedat hardbounced complained blocklisted blacklisted suppressed ' +
    'donotemail donotmail donotcontact',
  status:
    'status emailstatus subscriptionstatus subscriberstatus memberstatus contactstatus marketingstatus ' +
    'emailmarketingstatus emailsubscriptionstatus optinstatus optstatus optoutstatus subscription',
};
const FIELD_OF_NAME = new Map(
  CONTACT_FIELDS.flatMap((field) => KNOWN_NAMES[field].split(' ').map((name) => [name, field] as const)),
);

const IN = 'subscribed active enabled confirmed verified optedin optin in yes y true t 1 on x valid ok';
const OUT =
  'unsubscribed unsubscribe optedout optout out no n false f 0 off left removed deleted disabled inactive archived ' +
  'nonsubscribed notsubscribed neversubscribed transactional blocklisted blacklisted blocklist blocked suppressed ' +
  'donotemail donotmail donotcontact abgemeldet desabonne disiscritto afgemeld desuscrito cancelado';
const BOUNCED = 'cleaned bounced bounce hardbounced hardbounce invalid undeliverable';
const COMPLAINED = 'complained complaint spam spamcomplaint markedasspam abuse abused';
const UNCONFIRMED = 'unconfirmed notconfirmed pending unverified awaitingconfirmation';

export type Standing = 'subscribed' | 'UNSUBSCRIBED' | 'BOUNCED' | 'COMPLAINED' | 'UNCONFIRMED';

const STANDINGS = new Map<string, Standing>(
  (
    [
      [IN, 'subscribed'],
      [OUT, 'UNSUBSCRIBED'],
      [BOUNCED, 'BOUNCED'],
      [COMPLAINED, 'COMPLAINED'],
      [UNCONFIRMED, 'UNCONFIRMED'],
    ] as const
  ).flatMap(([words, standing]) => words.split(' ').map((word) => [word, standing] as const)),
);
const YES = 'yes y true t 1 on x'.split(' ');
const NO = 'no n false f 0 off never none'.split(' ');

/** Returns the field that a column with this name contains, or null. `values` are the first ones of the column. */
export function recogniseField(name: string, values: readonly string[]): ContactField | null {
  const field = FIELD_OF_NAME.get(compact(name)) ?? null;
  // A column "Status" can also contain "Gold" or "Customer".
  if (field === 'status' && !values.some((value) => readStanding('status', value) !== null)) return null;
  return field;
}

/** Returns what a value says, or null for one that is not understood. The value is not empty. */
export function readStanding(
  field: 'subscribed' | 'unsubscribed' | 'status',
  value: string,
): Standing | null {
  const word = compact(value);
  if (field !== 'unsubscribed') return STANDINGS.get(word) ?? null;
  if (NO.includes(word) || /^0{4}0{2}0{2}/.test(word)) return 'subscribed';
  // Many exports have the time of leaving here.
  if (YES.includes(word) || /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/.test(value.trim()))
    return 'UNSUBSCRIBED';
  return STANDINGS.get(word) ?? null;
}

/** In lower case, without accents, spaces and punctuation. */
function compact(text: string): string {
  return propertyKey(text.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]/gu, ''));
}

/** Returns the name of the variable for a column: `Sign-up date` becomes `Sign_up_date`. Null if there is none. */
export function toVariableName(column: string): string | null {
  const name = column
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[0-9_]+/, '')
    .replace(/_$/, '');
  // A name in another script would lose its letters.
  const lost = column.normalize('NFKD').replaceAll(/[A-Za-zß]/g, '');
  return isVariableName(name) && !/\p{L}/u.test(lost) ? name : null;
}

/**
 * The texts that one or many emails are made from, with places for the values of each email. Every API uses this to
 * fill in its own kind of place:
 * - `merge-tags`: `{{name}}`, conditions and loops of our templates. Values are encoded for their context.
 * - `recipient-variables`: `%recipient.name%` of Mailgun. Values are inserted as they are, and a variable that the
 *   recipient does not have stays in the text.
 * - `substitutions`: the keys of SendGrid, which may be any text. Values are inserted as they are.
 * - `none`: the texts are complete.
 */
import type { NamedAddress } from '../../../mail/mime/address.ts';
import { splitAtKeys } from '../../../mail/html/find-keys.ts';
import { compileTags, type TextKind } from '../../../mail/html/merge-tags.ts';
import { readPath, renderSlots, type SlottedText } from '../../../mail/html/slotted-text.ts';
import { plainName, propertyKey } from '../../../mail/html/tag-names.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { badRequest } from '../../../platform/errors.ts';
import { hasFewLinks, MAX_LINKS } from '../content-limits.ts';

export interface ContentSource {
  syntax: 'merge-tags' | 'recipient-variables' | 'substitutions' | 'none';
  html: string | null;
  text: string | null;
}

export type ContentValues = Record<string, unknown>;

/** The values of one email, and the recipient, whose address and name are values as well. */
export interface ContentFor {
  values: ContentValues;
  recipient: Pick<NamedAddress, 'email' | 'name'> | null;
}

/** Limits the work of escaping. No email app shows more. */
const MAX_INSERTED_LENGTH = 500_000;
/** Limits the memory for the positions in a text. */
const MAX_PLACES = 10_000;

export async function renderSource(
  source: ContentSource,
  given: ContentFor,
): Promise<{ html: string | null; text: string | null }> {
  const { syntax, html, text } = source;
  if (syntax === 'none') return { html, text };
  return runYielding((html?.length ?? 0) + (text?.length ?? 0), () => {
    const render = createRenderer(source, given);
    const rendered = { html: render(html, 'html'), text: render(text, 'plain') };
    if (rendered.html && !hasFewLinks(rendered.html))
      throw badRequest(`With its values filled in, the HTML has more than ${MAX_LINKS} links.`);
    return rendered;
  });
}

/** Returns a function that renders a text of the source, or another text of the same email such as its subject. */
export function createRenderer(source: ContentSource, { values, recipient }: ContentFor) {
  const valueOf = createLookup(source.syntax, values, recipient);
  let inserted = 0;
  // Many tags with one long value can far exceed the limit, so it is checked for each value.
  const countInserted = (length: number): void => {
    inserted += length;
    if (inserted > MAX_INSERTED_LENGTH)
      throw badRequest(`The variables add more than ${MAX_INSERTED_LENGTH} characters to the template.`);
  };
  return (text: string | null, kind: TextKind): string | null => {
    if (text === null || source.syntax === 'none') return text;
    if (source.syntax === 'merge-tags') return compileTags(text, kind).render(valueOf, countInserted);
    return renderSlots(compile(source, text, values), valueOf);
  };
}

function createLookup(
  syntax: ContentSource['syntax'],
  values: ContentValues,
  recipient: ContentFor['recipient'],
): (name: string) => unknown {
  if (syntax === 'substitutions') return (key) => values[key];
  if (syntax === 'recipient-variables') return (place) => findRecipientValue(place, values, recipient);
  const spellings = new Map(Object.keys(values).map((name) => [propertyKey(name), name]));
  // A name inside a loop is read many times.
  const keys = new Map<string, string | undefined>();
  return (name) => {
    if (!keys.has(name)) keys.set(name, findKey(name));
    const key = keys.get(name);
    // `order.total` may also be the property of a variable that is an object.
    return key === undefined ? readPath(values, name) : (values[key] ?? null);
  };

  function findKey(name: string): string | undefined {
    return [name, plainName(name), `contact.${name}`]
      .map((each) => (Object.hasOwn(values, each) ? each : spellings.get(propertyKey(each))))
      .find((each) => each !== undefined);
  }
}

function findRecipientValue(
  place: string,
  values: ContentValues,
  recipient: ContentFor['recipient'],
): string | null {
  if (place === 'recipient' || place === 'recipient_email') return recipient?.email ?? null;
  if (place === 'recipient_name') return recipient?.name ?? '';
  if (place === 'recipient_fname') return recipient?.name?.split(' ')[0] ?? '';
  if (place === 'recipient_lname') return recipient?.name?.split(' ').slice(1).join(' ') ?? '';
  const name = place.slice('recipient.'.length);
  if (!Object.hasOwn(values, name)) return null;
  const value = values[name];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** More texts than one request shares, such as the HTML, the text and the headers. */
const MAX_COMPILED = 200;
/** The positions in the texts of a source, which are found once for all emails with the same keys. */
const compiled = new WeakMap<ContentSource, { keys: string; texts: Map<string, SlottedText> }>();

function compile(source: ContentSource, text: string, values: ContentValues): SlottedText {
  const names = source.syntax === 'substitutions' ? Object.keys(values) : [];
  const keys = JSON.stringify(names);
  let cached = compiled.get(source);
  if (cached?.keys !== keys) compiled.set(source, (cached = { keys, texts: new Map() }));
  let slotted = cached.texts.get(text);
  if (slotted) return slotted;
  slotted =
    source.syntax === 'substitutions'
      ? splitAtKeys(text, names, (value) => value ?? '')
      : splitAtPlaces(text);
  if (slotted.slots.length > MAX_PLACES)
    throw badRequest(`A text must have at most ${MAX_PLACES} places for values.`);
  if (cached.texts.size < MAX_COMPILED) cached.texts.set(text, slotted);
  return slotted;
}

const PLACE = /%(recipient(?:\.[^%\r\n]{1,200}|_email|_name|_fname|_lname)?)%/g;

function splitAtPlaces(text: string): SlottedText {
  const [before, ...pieces] = text.split(PLACE);
  const slots: SlottedText['slots'] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const place = pieces[at]!;
    slots.push({ name: place, write: (value) => value ?? `%${place}%`, after: pieces[at + 1]! });
  }
  return { before: before!, slots };
}

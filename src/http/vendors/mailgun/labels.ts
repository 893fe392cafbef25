/**
 * How the labels of Mailgun's messages are kept. Its tags are texts, and ours have a name and a value, so `o:tag` is the
 * value of a tag named `tag`. A text with characters that our tags cannot have is the value of a tag named
 * `tag-base64url`, encoded, so that nothing is lost and it is found as quickly. `v:` variables are metadata.
 */
import type { EmailLabels } from '../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../platform/errors.ts';

type Tag = EmailLabels['tags'][number];

const PLAIN = 'tag';
const ENCODED = 'tag-base64url';
/** All emails of one request with recipient-variables have this tag, with the id of the answer as its value. */
const BATCH = 'mailgun-batch';
/** The domain of the path, if the sender has another one: events are read by the domain of the path. */
const DOMAIN = 'mailgun-domain';
const OWN = new Set([BATCH, DOMAIN]);
const MAX_LENGTH = 256;

export function toTag(text: string): Tag {
  if (/^[A-Za-z0-9_-]{1,256}$/.test(text)) return { name: PLAIN, value: text };
  const value = Buffer.from(text).toString('base64url');
  if (text === '' || value.length > MAX_LENGTH)
    throw invalidField('o:tag', 'must have 1 to 192 bytes, or up to 256 characters of A-Z a-z 0-9 _ and -');
  return { name: ENCODED, value };
}

/** A tag that was set by another API is shown as `name:value`. */
export function showTags(tags: Tag[]): string[] {
  return tags.flatMap(({ name, value }) => {
    if (OWN.has(name)) return [];
    if (name === ENCODED) return [Buffer.from(value, 'base64url').toString('utf8')];
    return [name === PLAIN ? value : `${name}:${value}`];
  });
}

/** The forms in which a tag with this text may be stored, as `name:value`. */
export function storedForms(text: string): string[] {
  const { name, value } = toTag(text);
  const own = `${name}:${value}`;
  return /^[A-Za-z0-9_-]{1,256}:[A-Za-z0-9_-]{1,256}$/.test(text) ? [own, text] : [own];
}

export const batchTag = (id: string): Tag => ({ name: BATCH, value: id });
export const domainTag = (domainId: number): Tag => ({ name: DOMAIN, value: String(domainId) });

/** A sender that is not known gets the tag, because its domain may be another one. */
export function tagOfPath(sender: { domain: string } | null, path: { id: number; name: string }): Tag[] {
  return sender?.domain === path.name ? [] : [domainTag(path.id)];
}

export const written = ({ name, value }: Tag): string => `${name}:${value}`;

export function findBatch(tags: Tag[]): string | undefined {
  return tags.find(({ name }) => name === BATCH)?.value;
}

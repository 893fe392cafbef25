/**
 * Stores the labels of Mailgun's messages. Its tags are texts, while ours have a name and a value, so `o:tag` becomes
 * the value of a tag named `tag`. Text with characters that our tags cannot have is encoded and becomes the value of a
 * tag named `tag-base64url`, so that nothing is lost and it is found as quickly. `v:` variables are metadata.
 */
import type { EmailLabels } from '../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../platform/errors.ts';

type Tag = EmailLabels['tags'][number];

const PLAIN = 'tag';
const ENCODED = 'tag-base64url';
/** All emails of one request with recipient-variables have this tag. Its value is the ID that the response contains. */
const BATCH = 'mailgun-batch';
/** The domain in the path, if the sender has another one, because events are read by the domain in the path. */
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

/** A tag from another API is shown as `name:value`. */
export function showTags(tags: Tag[]): string[] {
  return tags.flatMap(({ name, value }) => {
    if (OWN.has(name)) return [];
    if (name === ENCODED) return [Buffer.from(value, 'base64url').toString('utf8')];
    return [name === PLAIN ? value : `${name}:${value}`];
  });
}

/** Returns the forms in which a tag with this text may be stored, as `name:value`. */
export function storedForms(text: string): string[] {
  const { name, value } = toTag(text);
  const own = `${name}:${value}`;
  return /^[A-Za-z0-9_-]{1,256}:[A-Za-z0-9_-]{1,256}$/.test(text) ? [own, text] : [own];
}

export const batchTag = (id: string): Tag => ({ name: BATCH, value: id });
export const domainTag = (domainId: number): Tag => ({ name: DOMAIN, value: String(domainId) });

/** An unknown sender gets the tag, because its domain may be another one. */
export function tagOfPath(sender: { domain: string } | null, path: { id: number; name: string }): Tag[] {
  return sender?.domain === path.name ? [] : [domainTag(path.id)];
}

export const written = ({ name, value }: Tag): string => `${name}:${value}`;

export function findBatch(tags: Tag[]): string | undefined {
  return tags.find(({ name }) => name === BATCH)?.value;
}

/** The ID of the domain in the path, if the sender has another one. */
export function findDomainTag(tags: Tag[]): number | undefined {
  const value = tags.find(({ name }) => name === DOMAIN)?.value;
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

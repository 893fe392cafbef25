/**
 * Signed links in our email that work without signing in. A token is
 *     base64url( kind, payload, first 16 bytes of HMAC-SHA256 over both )
 * with a key derived from the instance secret. A changed layout gets a new kind, so that links sent years ago stay
 * readable. Everything that a link does is signed, including the target of a click, so that nobody can turn it into an
 * open redirect.
 */
import { timingSafeEqual } from 'node:crypto';
import { bounceHostOf } from '../../../mail/auth/dns-records.ts';
import { makeReturnPath } from '../../../mail/bounces/return-path.ts';
import { createMac, deriveKey, sha256, type Mac } from '../../../platform/crypto.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { LinkReader, LinkWriter } from './link-bytes.ts';

export interface EmailRef {
  teamId: number;
  /** All IDs here are UUIDs, not public IDs. */
  emailId: string;
}

export interface ClickLink extends EmailRef {
  url: string;
}

export interface ContactRef extends CamelRow<'contacts', 'team_id' | 'contact_book_id'> {
  contactId: Row<'contacts'>['id'];
}

export interface UnsubscribeLink extends ContactRef {
  /** The email that contained the link. */
  emailId: Row<'emails'>['id'] | null;
  campaignId: Row<'emails'>['campaign_id'];
  /** If set, unsubscribes from this topic only. */
  topicId: Row<'campaigns'>['topic_id'];
}

export interface ConfirmLink extends ContactRef {
  /** Hash of the address that the email was sent to. The link confirms only that address. */
  addressHash: number;
  expiresAt: Date;
}

/** A file of a sent email or of a received message. */
export interface FileLink {
  teamId: number;
  of: 'email' | 'message';
  id: string;
  /** The number of the attachment; null for the whole message. */
  part: number | null;
  expiresAt: Date;
}

/** An image of the media library. The link does not change while the image is the same. */
export interface MediaLink {
  teamId: number;
  /** SHA-256 of the image. */
  hash: Buffer;
}

export interface PublicLinks {
  /** The same links under another host, with the scheme and port of BASE_URL. Null is the host of BASE_URL. */
  under(host: string | null): PublicLinks;
  open(email: EmailRef): string;
  /**
   * Returns the URL unchanged if it must not be tracked: one of our own links, or too long for some email
   * apps.
   */
  click(email: EmailRef, url: string): string;
  unsubscribe(link: UnsubscribeLink): string;
  /** For the `mailto:` of List-Unsubscribe. An email to this address unsubscribes the recipient. */
  unsubscribeAddress(emailId: string, domain: string): string;
  /** The envelope sender of an email with one recipient. Reports about the email come to this address. */
  returnPath(emailId: string, domain: string): string;
  preferences(contact: ContactRef): string;
  /** The page of the archive of the book, with the contact who shares it. It is not signed, because it shows nothing. */
  referral(contact: Pick<ContactRef, 'contactBookId' | 'contactId'>): string;
  confirm(link: ConfirmLink): string;
  file(link: FileLink): string;
  media(link: MediaLink): string;

  readOpen(token: string): EmailRef | null;
  readClick(token: string): ClickLink | null;
  readUnsubscribe(token: string): UnsubscribeLink | null;
  readPreferences(token: string): ContactRef | null;
  /** Also returns expired links; the caller must check the time. */
  readConfirm(token: string): ConfirmLink | null;
  /** Also returns expired links; the caller must check the time. */
  readFile(token: string): FileLink | null;
  readMedia(token: string): MediaLink | null;
}

export const LINK_PATHS = {
  open: '/t/o/',
  click: '/t/c/',
  unsubscribe: '/u/',
  preferences: '/p/',
  confirm: '/c/',
  file: '/d/',
  media: '/m/',
} as const;

const KIND = { open: 1, click: 2, unsubscribe: 3, preferences: 4, confirm: 5, file: 6, media: 7 } as const;
const FILE_OWNERS = ['email', 'message'] as const;
const MAC_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{24,12000}$/;
/** Many servers, including ours, reject a request line of twice this size. */
const MAX_TARGET_BYTES = 4_000;

export const UNSUBSCRIBE_PREFIX = 'u-';

export function returnPathMac(secret: Buffer): Mac {
  return createMac(deriveKey(secret, 'return paths'));
}

export function unsubscribeAddressMac(secret: Buffer): Mac {
  return createMac(deriveKey(secret, 'unsubscribe addresses'));
}

/** 48 bits, which distinguish the addresses of one contact. */
export function hashAddress(addressKey: string): number {
  return sha256(addressKey).readUIntBE(0, 6);
}

const cache = new WeakMap<Facts, PublicLinks>();

export function publicLinksOf(facts: Facts): PublicLinks {
  let links = cache.get(facts);
  if (!links) cache.set(facts, (links = createPublicLinks(facts.secret, facts.baseUrl)));
  return links;
}

/** Returns a function that verifies the token of a link. It returns the payload, or null for an invalid token. */
function createOpener(mac: Mac) {
  /** Reused, because allocating a buffer for each visit would cost more than the comparison. */
  const expected = Buffer.alloc(MAC_BYTES);
  return (name: keyof typeof KIND, token: string): LinkReader | null => {
    if (!TOKEN.test(token)) return null;
    const bytes = Buffer.from(token, 'base64url');
    const end = bytes.length - MAC_BYTES;
    // The last character has spare bits. Accept only the canonical encoding.
    if (end < 1 || bytes[0] !== KIND[name] || bytes.toString('base64url') !== token) return null;
    expected.write(mac(bytes, end), 0, MAC_BYTES, 'latin1');
    return timingSafeEqual(expected, bytes.subarray(end)) ? new LinkReader(bytes, 1, end) : null;
  };
}

/** The most hosts whose links are kept in memory. */
const MAX_HOSTS = 1_000;

export function createPublicLinks(secret: Buffer, baseUrl: string): PublicLinks {
  const root = createLinksUnder(secret, baseUrl, baseUrl);
  const hosts = new Map<string, PublicLinks>();
  const { protocol, port } = new URL(baseUrl);

  function under(host: string | null): PublicLinks {
    if (host === null) return all;
    let links = hosts.get(host);
    if (links) return links;
    const url = `${protocol}//${host}${port ? `:${port}` : ''}`;
    links = { ...createLinksUnder(secret, url, baseUrl), under };
    if (hosts.size >= MAX_HOSTS) hosts.delete(hosts.keys().next().value!);
    hosts.set(host, links);
    return links;
  }
  const all: PublicLinks = { ...root, under };
  return all;
}

/** `rootUrl` is BASE_URL. Links to pages of either are not tracked. */
function createLinksUnder(secret: Buffer, baseUrl: string, rootUrl: string): Omit<PublicLinks, 'under'> {
  const mac = createMac(deriveKey(secret, 'public links'));
  const addressMac = unsubscribeAddressMac(secret);
  const pathMac = returnPathMac(secret);
  const base = baseUrl.replace(/\/+$/, '');
  const own = [...linkStarts(base), ...linkStarts(rootUrl)];
  const open = createOpener(mac);

  function make(name: keyof typeof KIND, link: LinkWriter): string {
    return `${base}${LINK_PATHS[name]}${link.sign(KIND[name], mac, MAC_BYTES)}`;
  }

  return {
    open: ({ teamId, emailId }) => make('open', new LinkWriter().number(teamId).uuid(emailId)),
    click({ teamId, emailId }, url) {
      if (own.some((start) => url.startsWith(start)) || Buffer.byteLength(url) > MAX_TARGET_BYTES) return url;
      return make('click', new LinkWriter().number(teamId).uuid(emailId).text(url));
    },
    unsubscribe: (link) =>
      make(
        'unsubscribe',
        new LinkWriter()
          .number(link.teamId)
          .uuid(link.contactBookId)
          .uuid(link.contactId)
          .uuids([link.emailId, link.campaignId, link.topicId]),
      ),
    unsubscribeAddress: (emailId, domain) =>
      makeReturnPath({
        id: emailId,
        recipient: 0,
        bounceHost: bounceHostOf(domain),
        mac: addressMac,
        prefix: UNSUBSCRIBE_PREFIX,
      }),
    returnPath: (emailId, domain) =>
      makeReturnPath({ id: emailId, recipient: 0, bounceHost: bounceHostOf(domain), mac: pathMac }),
    preferences: ({ teamId, contactBookId, contactId }) =>
      make('preferences', new LinkWriter().number(teamId).uuid(contactBookId).uuid(contactId)),
    referral: ({ contactBookId, contactId }) =>
      `${base}/a/${encodeId('cbk', contactBookId)}?ref=${encodeId('con', contactId)}`,
    confirm: (link) => make('confirm', writeConfirm(link)),
    file: (link) => make('file', writeFile(link)),
    media: ({ teamId, hash }) => make('media', new LinkWriter().number(teamId).hash(hash)),

    readOpen(token) {
      const bytes = open('open', token);
      return bytes && { teamId: bytes.number(), emailId: bytes.uuid() };
    },
    readClick(token) {
      const bytes = open('click', token);
      return bytes && { teamId: bytes.number(), emailId: bytes.uuid(), url: bytes.text() };
    },
    readUnsubscribe(token) {
      const bytes = open('unsubscribe', token);
      if (!bytes) return null;
      const contact = { teamId: bytes.number(), contactBookId: bytes.uuid(), contactId: bytes.uuid() };
      const [emailId = null, campaignId = null, topicId = null] = bytes.uuids();
      return { ...contact, emailId, campaignId, topicId };
    },
    readPreferences(token) {
      const bytes = open('preferences', token);
      return bytes && { teamId: bytes.number(), contactBookId: bytes.uuid(), contactId: bytes.uuid() };
    },
    readConfirm(token) {
      const bytes = open('confirm', token);
      if (!bytes) return null;
      const contact = { teamId: bytes.number(), contactBookId: bytes.uuid(), contactId: bytes.uuid() };
      return { ...contact, addressHash: bytes.number(), expiresAt: new Date(bytes.number() * 1000) };
    },
    readFile(token) {
      const bytes = open('file', token);
      return bytes && readFile(bytes);
    },
    readMedia(token) {
      const bytes = open('media', token);
      return bytes && { teamId: bytes.number(), hash: bytes.hash() };
    },
  };
}

function linkStarts(baseUrl: string): string[] {
  return Object.values(LINK_PATHS).map((path) => `${baseUrl.replace(/\/+$/, '')}${path}`);
}

function writeConfirm({ teamId, contactBookId, contactId, addressHash, expiresAt }: ConfirmLink): LinkWriter {
  return new LinkWriter()
    .number(teamId)
    .uuid(contactBookId)
    .uuid(contactId)
    .number(addressHash)
    .number(Math.floor(expiresAt.getTime() / 1000));
}

function writeFile({ teamId, of, id, part, expiresAt }: FileLink): LinkWriter {
  return new LinkWriter()
    .number(teamId)
    .number(FILE_OWNERS.indexOf(of))
    .uuid(id)
    .number(part === null ? 0 : part + 1)
    .number(Math.floor(expiresAt.getTime() / 1000));
}

function readFile(bytes: LinkReader): FileLink {
  const owner = { teamId: bytes.number(), of: FILE_OWNERS[bytes.number()]!, id: bytes.uuid() };
  const part = bytes.number();
  const expiresAt = new Date(bytes.number() * 1000);
  return { ...owner, part: part === 0 ? null : part - 1, expiresAt };
}

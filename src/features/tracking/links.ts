/**
 * The links in our mail that need nobody to be signed in. A token is
 *
 *     base64url( kind, payload, first 16 bytes of HMAC-SHA256 over both )
 *
 * under a key that is derived from the instance secret. The kind counts up when a layout changes, so that what was
 * sent years ago is still read by the old one. All that a link does is inside its signature: the target of a click as
 * well, so that nobody can make us redirect anywhere else.
 */
import { timingSafeEqual } from 'node:crypto';
import { bounceHostOf } from '../../mail/dns-records.ts';
import { makeReturnPath } from '../../mail/verp.ts';
import { createMac, deriveKey, sha256, type Mac } from '../../platform/crypto.ts';
import type { Facts } from '../../platform/facts.ts';
import { LinkReader, LinkWriter } from './link-bytes.ts';

export interface EmailRef {
  teamId: number;
  /** All ids here are the database's own, not the public ones. */
  emailId: string;
}

export interface ClickLink extends EmailRef {
  url: string;
}

export interface ContactRef {
  teamId: number;
  contactBookId: string;
  contactId: string;
}

export interface UnsubscribeLink extends ContactRef {
  /** The mail that the link stood in. */
  emailId: string | null;
  campaignId: string | null;
  /** Leaves this topic alone, where it is set. */
  topicId: string | null;
}

export interface ConfirmLink extends ContactRef {
  /** Of the address that the mail went to: whoever reads it may confirm that one and no other. */
  addressHash: number;
  expiresAt: Date;
}

export interface PublicLinks {
  open(email: EmailRef): string;
  /** The url itself where it is not to be counted: one of our own, or too long for some mail readers. */
  click(email: EmailRef, url: string): string;
  unsubscribe(link: UnsubscribeLink): string;
  /** For the `mailto:` of List-Unsubscribe; mail to it unsubscribes whom this email was for. */
  unsubscribeAddress(emailId: string, domain: string): string;
  preferences(contact: ContactRef): string;
  confirm(link: ConfirmLink): string;

  readOpen(token: string): EmailRef | null;
  readClick(token: string): ClickLink | null;
  readUnsubscribe(token: string): UnsubscribeLink | null;
  readPreferences(token: string): ContactRef | null;
  /** An expired one is read as well; whoever reads it looks at the time. */
  readConfirm(token: string): ConfirmLink | null;
}

export const LINK_PATHS = {
  open: '/t/o/',
  click: '/t/c/',
  unsubscribe: '/u/',
  preferences: '/p/',
  confirm: '/c/',
} as const;

const KIND = { open: 1, click: 2, unsubscribe: 3, preferences: 4, confirm: 5 } as const;
const MAC_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{24,12000}$/;
/** A request line of twice as much is refused by many servers on the way, ours included. */
const MAX_TARGET_BYTES = 4_000;

export const UNSUBSCRIBE_PREFIX = 'u-';

export function unsubscribeAddressMac(secret: Buffer): Mac {
  return createMac(deriveKey(secret, 'unsubscribe addresses'));
}

/** 48 bits of it, which tell two addresses of one contact apart. */
export function hashAddress(addressKey: string): number {
  return sha256(addressKey).readUIntBE(0, 6);
}

const made = new WeakMap<Facts, PublicLinks>();

export function publicLinksOf(facts: Facts): PublicLinks {
  let links = made.get(facts);
  if (!links) made.set(facts, (links = createPublicLinks(facts.secret, facts.baseUrl)));
  return links;
}

export function createPublicLinks(secret: Buffer, baseUrl: string): PublicLinks {
  const mac = createMac(deriveKey(secret, 'public links'));
  /** One for all: a buffer for each visit would cost more than the comparison. */
  const expected = Buffer.alloc(MAC_BYTES);
  const addressMac = unsubscribeAddressMac(secret);
  const base = baseUrl.replace(/\/+$/, '');
  const own = Object.values(LINK_PATHS).map((path) => `${base}${path}`);

  function make(name: keyof typeof KIND, link: LinkWriter): string {
    return `${base}${LINK_PATHS[name]}${link.sign(KIND[name], mac, MAC_BYTES)}`;
  }

  function open(name: keyof typeof KIND, token: string) {
    if (!TOKEN.test(token)) return null;
    const bytes = Buffer.from(token, 'base64url');
    const end = bytes.length - MAC_BYTES;
    // The last character carries spare bits: only the one spelling that we write is taken.
    if (end < 1 || bytes[0] !== KIND[name] || bytes.toString('base64url') !== token) return null;
    expected.write(mac(bytes, end), 0, MAC_BYTES, 'latin1');
    return timingSafeEqual(expected, bytes.subarray(end)) ? new LinkReader(bytes, 1, end) : null;
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
    preferences: ({ teamId, contactBookId, contactId }) =>
      make('preferences', new LinkWriter().number(teamId).uuid(contactBookId).uuid(contactId)),
    confirm: ({ teamId, contactBookId, contactId, addressHash, expiresAt }) =>
      make(
        'confirm',
        new LinkWriter()
          .number(teamId)
          .uuid(contactBookId)
          .uuid(contactId)
          .number(addressHash)
          .number(Math.floor(expiresAt.getTime() / 1000)),
      ),

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
  };
}

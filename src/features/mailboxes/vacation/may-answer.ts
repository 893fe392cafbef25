/** Decides whether and to which address a received message gets an automatic reply (RFC 3834, RFC 5230 section 4). */
import { domainOfBounceHost } from '../../../mail/auth/dns-records.ts';
import { parseAddress, type Address } from '../../../mail/mime/address.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';

export interface AnswerableMessage {
  parsed: Pick<ParsedMessage, 'autoSubmitted' | 'headers' | 'from' | 'to' | 'cc'>;
  mailFrom: string;
  authentication: { spf: string; dmarc: string } | null;
  isSpam: boolean;
}

/** Local parts of software and mailing lists that do not read replies. */
const NOBODY =
  /^(?:mailer-daemon|postmaster|listserv|majordomo|no-?reply|do-?not-?reply|bounces?|owner-.*|.*-(?:request|owner|bounces?|no-?reply))$/;

/** Returns null if the message must not get a reply. `ownKeys` are addresses of the mailbox that received it. */
export function addressToAnswer(message: AnswerableMessage, ownKeys: string[]): Address | null {
  const { parsed, mailFrom, authentication, isSpam } = message;
  if (isSpam || parsed.autoSubmitted || mailFrom === '') return null;
  if (parsed.headers.some(([name]) => /^list-/i.test(name))) return null;
  // The sender is forged, and someone else would get the reply.
  if (authentication && (authentication.spf === 'fail' || authentication.dmarc === 'fail')) return null;
  if (![...parsed.to, ...parsed.cc].some(({ address }) => ownKeys.some((key) => isAddressOf(address, key))))
    return null;
  const sender = senderOf(message);
  if (!sender || ownKeys.includes(sender.key)) return null;
  return NOBODY.test(sender.key.slice(0, sender.key.lastIndexOf('@'))) ? null : sender;
}

/**
 * Replies go to the envelope sender (RFC 3834 section 4). If that is a return path that Posthorn has generated, they go
 * to the author, whose domain it belongs to.
 */
function senderOf({ parsed, mailFrom }: AnswerableMessage): Address | null {
  const envelope = parseAddress(mailFrom);
  const author = parseAddress(parsed.from?.address ?? '');
  if (!envelope) return null;
  return author && domainOfBounceHost(envelope.domain) === author.domain ? author : envelope;
}

/** Also matches the address with a +detail. */
function isAddressOf(address: string, addressKey: string): boolean {
  const key = parseAddress(address)?.key ?? '';
  return key === addressKey || key.replace(/^([^+@]+)\+.*@/, '$1@') === addressKey;
}

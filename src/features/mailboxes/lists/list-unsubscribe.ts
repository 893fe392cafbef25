/**
 * How to leave the mailing list of a message (RFC 2369, RFC 8058). The fields count only if a passing DKIM signature
 * covers them, because anyone could have added them otherwise.
 */
import { parseAddress } from '../../../mail/mime/address.ts';

export interface ListUnsubscribe {
  oneClick: boolean;
  url: string | null;
  mailto: string | null;
}

const FIELD = 'list-unsubscribe';
const POST_FIELD = 'list-unsubscribe-post';
const MAX_LINK = 2_000;
const MAX_LINKS = 20;

/** `signatures` has the fields that each passing signature covers, in lower case. */
export function readListUnsubscribe(
  headers: readonly [string, string][],
  signatures: readonly string[][],
): ListUnsubscribe | null {
  const covering = signatures.filter((fields) => fields.includes(FIELD));
  const values = valuesOf(headers, FIELD);
  // Of several fields, nobody knows which one is meant.
  if (covering.length === 0 || values.length !== 1) return null;
  const links = linksOf(values[0]!);
  const url = links.find((link) => /^https?:\/\//i.test(link) && URL.canParse(link)) ?? null;
  const mailto = links.find((link) => /^mailto:/i.test(link) && readMailto(link) !== null) ?? null;
  if (url === null && mailto === null) return null;
  const isPosted =
    valuesOf(headers, POST_FIELD).some((value) => /^\s*list-unsubscribe\s*=\s*one-click\s*$/i.test(value)) &&
    covering.some((fields) => fields.includes(POST_FIELD));
  return { oneClick: isPosted && url !== null && /^https:/i.test(url), url, mailto };
}

function valuesOf(headers: readonly [string, string][], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

function linksOf(value: string): string[] {
  const links: string[] = [];
  for (let open = value.indexOf('<'); open >= 0 && links.length < MAX_LINKS;) {
    const close = value.indexOf('>', open);
    if (close < 0) break;
    const link = value.slice(open + 1, close).replaceAll(/\s/g, '');
    if (link.length <= MAX_LINK) links.push(link);
    open = value.indexOf('<', close);
  }
  return links;
}

/** Returns null for an address that no email can be sent to. */
export function readMailto(link: string): { to: string; subject: string; body: string } | null {
  const [address = '', query = ''] = link.slice('mailto:'.length).split('?');
  const to = parseAddress(decode(address));
  if (!to) return null;
  const params = new URLSearchParams(query.replaceAll('+', '%2B'));
  const text = (name: string) =>
    [...params]
      .find(([key]) => key.toLowerCase() === name)?.[1]
      .replaceAll(/[\r\n\0]+/g, ' ')
      .slice(0, 500)
      .toWellFormed();
  return { to: to.email, subject: text('subject') || 'unsubscribe', body: text('body') || 'unsubscribe' };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function presentUnsubscribe(
  stored: ListUnsubscribe | null,
): { one_click: boolean; url: string | null; mailto: string | null } | null {
  return stored && { one_click: stored.oneClick, url: stored.url, mailto: stored.mailto };
}

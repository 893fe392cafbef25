/** Reads where a domain wants its TLS reports (RFC 8460 section 3). */
import { parseAddress, type Address } from '../../../mail/mime/address.ts';

export type ReportReceiver = { kind: 'mail'; uri: string; address: Address } | { kind: 'https'; uri: string };

const MAX_RECEIVERS = 5;
const MAX_URI = 1_000;

/** Several records count as none. URIs of other kinds are left out. */
export function readReceivers(records: string[]): ReportReceiver[] {
  const ours = records.filter((text) => /^v=TLSRPTv1\s*(?:;|$)/.test(text));
  if (ours.length !== 1) return [];
  const rua = ours[0]!
    .split(';')
    .map((field) => field.trim())
    .find((field) => /^rua\s*=/.test(field));
  const uris = rua?.slice(rua.indexOf('=') + 1).split(',') ?? [];
  return uris.slice(0, MAX_RECEIVERS).flatMap((uri) => toReceiver(uri.trim()) ?? []);
}

function toReceiver(uri: string): ReportReceiver | null {
  if (uri.length > MAX_URI || !URL.canParse(uri)) return null;
  const { protocol, pathname } = new URL(uri);
  if (protocol === 'https:') return { kind: 'https', uri };
  if (protocol !== 'mailto:') return null;
  const address = parseAddress(decodeSafely(pathname));
  return address && { kind: 'mail', uri, address };
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

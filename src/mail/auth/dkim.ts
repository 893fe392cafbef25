/**
 * Creates DKIM signatures (RFC 6376): relaxed/relaxed, rsa-sha256, no `l=`. Each name in `h=` is listed once
 * more than it occurs, so that adding another field breaks the signature (section 8.15). RSA runs in libuv's
 * thread pool; this thread reads the message once.
 */
import { createHash, sign, type KeyObject } from 'node:crypto';
import { foldHeader } from '../mime/header-encoding.ts';
import { readHeaders, type HeaderSection } from '../mime/parse/raw-headers.ts';

export interface DkimSigner {
  /** Returns the DKIM-Signature field with its line end, to be put before `raw`. `raw` must have CRLF line ends. */
  sign(raw: Buffer): Promise<Buffer>;
}

// Signed even when missing, so that they cannot be added: what shows the sender, where replies and unsubscribes go, and
// how the body is read.
const ALWAYS_SIGNED = [
  'from',
  'sender',
  'reply-to',
  'subject',
  'to',
  'cc',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
];
// The other fields of RFC 6376 section 5.4.1. Mailing lists and people who resend a message add these legitimately.
const SIGNED_IF_PRESENT = [
  'auto-submitted',
  'feedback-id',
  'list-id',
  'list-help',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
  'resent-date',
  'resent-from',
  'resent-sender',
  'resent-to',
  'resent-cc',
  'resent-message-id',
];
const SIGNED = new Set([...ALWAYS_SIGNED, ...SIGNED_IF_PRESENT]);
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const CHUNK = 70;
const MIN_KEY_BITS = 1024;

export function createDkimSigner(options: {
  domain: string;
  selector: string;
  privateKey: KeyObject;
}): DkimSigner {
  const { domain, selector, privateKey } = options;
  const bits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  // RFC 8301 section 3.2. Failing here is better than sending unsigned mail.
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'rsa' || bits < MIN_KEY_BITS) {
    throw new TypeError('DKIM signs with a private RSA key of at least 1024 bits');
  }
  const start = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};`;

  return {
    async sign(raw) {
      const section = readHeaders(raw);
      if (!section) throw new RangeError('the header section is too large to sign');
      const { names, canonical } = selectHeaders(raw, section);
      const bodyHash = hashRelaxedBody(raw, section.bodyStart);
      const seconds = Math.floor(Date.now() / 1000);
      const unsigned = `${start} t=${seconds}; bh=${bodyHash}; h=${breakList(names)}; b=`;
      const data = Buffer.from(`${canonical}dkim-signature:${unsigned}`, 'latin1');
      const signature = await signInPool(data, privateKey);
      // Folding only adds line breaks before spaces, which the relaxed form removes.
      return Buffer.from(foldHeader('DKIM-Signature', unsigned + breakText(signature)), 'latin1');
    },
  };
}

/** The value of the TXT record with the public key. */
export function dkimRecordValue(publicKey: KeyObject): string {
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
}

function selectHeaders(raw: Buffer, section: HeaderSection): { names: string[]; canonical: string } {
  const found = new Map<string, string[]>();
  for (const header of section.headers) {
    const name = header.name.toLowerCase();
    if (!SIGNED.has(name)) continue;
    // Latin-1 keeps every byte, whatever the charset is.
    const line = `${name}:${relaxValue(raw.toString('latin1', header.valueStart, header.end))}\r\n`;
    const lines = found.get(name);
    if (lines) lines.push(line);
    else found.set(name, [line]);
  }
  const names: string[] = [];
  let canonical = '';
  for (const name of SIGNED) {
    const lines = found.get(name) ?? [];
    if (lines.length === 0 && !ALWAYS_SIGNED.includes(name)) continue;
    for (const line of lines.toReversed()) canonical += line; // Section 5.4.2: bottom up.
    for (let count = 0; count <= lines.length; count += 1) names.push(name);
  }
  return { names, canonical };
}

/** Section 3.4.2. String.trim would remove the second byte of "à". */
function relaxValue(value: string): string {
  const collapsed = value.replaceAll(/[ \t\r\n]+/g, ' ');
  return collapsed.slice(collapsed.startsWith(' ') ? 1 : 0, collapsed.endsWith(' ') ? -1 : undefined);
}

const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** Section 3.4.4: collapses spaces, removes them before line ends, and ignores empty lines at the end. */
function hashRelaxedBody(raw: Buffer, bodyStart: number): string {
  const hash = createHash('sha256');
  const end = findContentEnd(raw, bodyStart);
  if (end === bodyStart) return hash.digest('base64');
  let used = 0;
  let from = bodyStart;
  for (let at = bodyStart; at < end; at += 1) {
    const byte = raw[at]!;
    if (byte !== SPACE && byte !== TAB) continue;
    const next = raw[at + 1];
    if (byte === SPACE && next !== SPACE && next !== TAB && next !== CR) continue;
    add(from, at);
    while (isBlank(raw[at + 1])) at += 1;
    from = at + 1;
    if (raw[from] !== CR || raw[from + 1] !== LF) scratch[used++] = SPACE;
  }
  add(from, end);
  return hash.update(scratch.subarray(0, used)).update('\r\n').digest('base64');

  /** Buffers lines, because a call into the hash costs more than copying a line. Keeps space for one more byte. */
  function add(start: number, stop: number): void {
    if (used + stop - start >= scratch.length) {
      hash.update(scratch.subarray(0, used));
      used = 0;
    }
    if (stop - start >= scratch.length) hash.update(raw.subarray(start, stop));
    else used += raw.copy(scratch, used, start, stop);
  }
}

/** Returns the offset after the last byte that is not a space or line end. */
function findContentEnd(raw: Buffer, bodyStart: number): number {
  let end = raw.length;
  for (;;) {
    if (end > bodyStart && isBlank(raw[end - 1])) end -= 1;
    else if (end > bodyStart + 1 && raw[end - 1] === LF && raw[end - 2] === CR) end -= 2;
    else return end;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function signInPool(data: Buffer, key: KeyObject): Promise<string> {
  return new Promise((resolve, reject) => {
    sign('sha256', data, key, (error, signature) => {
      if (error) reject(error);
      else resolve(signature.toString('base64'));
    });
  });
}

/** Joins names with a space wherever the line may be folded (section 3.5 allows spaces around the colons). */
function breakList(names: string[]): string {
  let list = '';
  let lineLength = 0;
  for (const [index, name] of names.entries()) {
    const text = index === names.length - 1 ? name : `${name}:`;
    if (lineLength + text.length > CHUNK) {
      list += ' ';
      lineLength = 0;
    }
    list += text;
    lineLength += text.length;
  }
  return list;
}

/** Slices the text, because a regular expression takes a hundred times as long, for every message. */
function breakText(text: string): string {
  let broken = text.slice(0, CHUNK);
  for (let at = CHUNK; at < text.length; at += CHUNK) broken += ` ${text.slice(at, at + CHUNK)}`;
  return broken;
}

/**
 * Checks the sender of a received message with SPF, DKIM, DMARC and ARC. All lookups use our resolver and share a
 * limit of five seconds; a check that has no result by then is `temperror`. Names outside the public DNS are not
 * looked up, and nothing is fetched over HTTP (BIMI is off). Nothing here throws, so no message is lost because of its
 * sender's records. The result for unsigned messages is cached per sender, in case of a flood.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type * as Mailauth from 'mailauth';
import { parseDomain } from '../mime/address.ts';
import type { Dns, DnsAnswer } from './dns.ts';
import { toOneLine } from '../mime/header-encoding.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { readAuthors } from '../mime/parse/parse-headers.ts';
import { removeHeaders, type ReceivedHeaders } from '../mime/parse/raw-headers.ts';
import { createMemoizer } from '../../platform/concurrency/memoize.ts';

type Verdict = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';

export interface SenderCheck {
  /** The value of the Authentication-Results field (RFC 8601), on one line. */
  authenticationResults: string;
  spf: Verdict;
  dkim: Verdict;
  dmarc: Verdict;
  arc: Verdict;
  /** The domain of the single author in From, to which `dmarc` applies. */
  authorDomain: string | null;
  /** The published policy. For a `permerror`, the policy of the displayed domain. */
  dmarcPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** The domain that authenticated the author domain. */
  alignedDomain: string | null;
}

interface SenderEnvelope {
  ip: string;
  helo: string;
  /** The address without angle brackets; empty for a report. */
  mailFrom: string;
  /** Our host name. */
  mta: string;
}

const TIMEOUT_MS = 5_000;
/** Time for the check itself after all lookups have ended. */
const GRACE_MS = 10_000;
const CHUNK_BYTES = 64 * 1024;
// More than any legitimate message has. Each signature costs a lookup, a hash of the whole body, or quadratic time.
const MAX_SIGNATURES = 10;
const MAX_HEADERS = 2_000;
const MAX_HEADER_LINES = 4_000;
const MAX_FROM_LENGTH = 4_000;
/** Each needs DNS lookups. */
const MAX_SHOWN_DOMAINS = 5;
const STRICTEST_FIRST = ['reject', 'quarantine', 'none'] as const;
// RFC 6761, RFC 6762, RFC 7686 and RFC 9476. SPF should not use reverse names (RFC 7208 section 5.5).
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|invalid|onion|internal|alt|arpa)$/i;
// A single address in an unambiguous form.
const PLAIN_AUTHOR = /^(?:"[\w .'-]*" *|[\w .'-]*)<[\w.+-]+@([a-z0-9.-]{1,253})>$/i;
const VERDICTS = new Set(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror']);
// The result for several signatures that do not pass: first a lookup that may succeed later, then definite failures.
const DKIM_ORDER: Verdict[] = ['temperror', 'fail', 'permerror', 'neutral'];

/** Loaded with the first message, because loading takes longer than the rest of the startup. */
let loading: Promise<typeof Mailauth> | undefined;

/** `section` holds the headers of `raw`. */
export type CheckSender = (
  raw: Buffer,
  section: ReceivedHeaders,
  envelope: SenderEnvelope,
) => Promise<SenderCheck>;

export function createSenderCheck(dns: Dns, timeoutMs = TIMEOUT_MS): CheckSender {
  const remember = createMemoizer<SenderCheck>();
  return async (raw, section, envelope) => {
    const input = readCheckInput(raw, section);
    const { ip, helo, mailFrom, mta } = envelope;
    const check = (message: Buffer) => runChecks(message, envelope, dns, timeoutMs);
    if (!input || input.authorDomain === null) {
      const checked = input ? await check(input.message) : allVerdicts(envelope, 'permerror');
      return applyShownPolicies(checked, shownDomains(section, mailFrom), check);
    }
    const key = JSON.stringify([ip, helo, mailFrom, mta, input.authorDomain]);
    return remember(key, () => check(input.message));
  };
}

/**
 * An email app may show authors where the checker finds none, several or another one: several addresses in From, a
 * second From field, a name that looks like an address, the envelope when From is missing, or a header that is too
 * expensive to check. Those authors are not authenticated, so the strictest policy of their domains applies (RFC 7489,
 * section 6.6.1).
 */
async function applyShownPolicies(
  checked: SenderCheck,
  shown: string[],
  check: (message: Buffer) => Promise<SenderCheck>,
): Promise<SenderCheck> {
  const unchecked = shown.filter((domain) => domain !== checked.authorDomain);
  if (unchecked.length === 0) return checked;
  const policies = [checked.dmarcPolicy];
  for (const domain of unchecked.slice(0, MAX_SHOWN_DOMAINS)) {
    const other = await check(withAuthor(domain));
    if (other.dmarc === 'fail') policies.push(other.dmarcPolicy);
  }
  if (unchecked.length > MAX_SHOWN_DOMAINS) policies.push('quarantine');
  return {
    ...checked,
    dmarc: checked.dmarc === 'fail' || checked.dmarc === 'temperror' ? checked.dmarc : 'permerror',
    dmarcPolicy: STRICTEST_FIRST.find((policy) => policies.includes(policy)) ?? null,
    alignedDomain: null,
  };
}

/** The domains of the addresses that may be displayed as senders, without invisible characters. */
function shownDomains(section: ReceivedHeaders, mailFrom: string): string[] {
  const authors = readAuthors(section).map(({ address }) => address);
  const domains = (authors.length > 0 ? authors : [mailFrom]).flatMap((address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    return parseDomain(domain.replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '')) ?? [];
  });
  return [...new Set(domains)];
}

function withAuthor(domain: string): Buffer {
  return Buffer.from(`From: <a@${domain}>\r\n\r\n`);
}

async function runChecks(
  message: Buffer,
  envelope: SenderEnvelope,
  dns: Dns,
  timeoutMs: number,
): Promise<SenderCheck> {
  // Load before the timers start. On a cold machine this takes seconds, and the first message would stay
  // unchecked.
  const { authenticate } = await (loading ??= import('mailauth'));
  // Two plain timers cost less than an AbortSignal for each lookup.
  const [lookUpsEnd, stopLookUps] = startTimer(timeoutMs);
  const [checkEnds, stopCheck] = startTimer(timeoutMs + GRACE_MS);
  try {
    const input = message.length <= CHUNK_BYTES ? message : Readable.from(inPieces(message));
    const checked = authenticate(input, {
      ip: envelope.ip,
      helo: envelope.helo,
      sender: envelope.mailFrom,
      mta: envelope.mta,
      resolver: (name, type) => lookUp(dns, name, type, lookUpsEnd),
      rejectRsaSha1: true,
      disableBimi: true,
    });
    return await Promise.race([
      checked.then(present),
      checkEnds.then(() => allVerdicts(envelope, 'temperror')),
    ]);
  } catch {
    return allVerdicts(envelope, 'temperror');
  } finally {
    stopLookUps();
    stopCheck();
  }
}

function startTimer(delayMs: number): [end: Promise<void>, stop: () => void] {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, delayMs);
  });
  return [end, () => clearTimeout(timer)];
}

/** Yields between pieces, so that hashing a large message does not block the event loop. */
async function* inPieces(message: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < message.length; at += CHUNK_BYTES) {
    yield message.subarray(at, at + CHUNK_BYTES);
    await yieldEventLoop();
  }
}

interface CheckInput {
  message: Buffer;
  /** Set for an unsigned message with a plain author. The result then depends only on this domain and the envelope. */
  authorDomain: string | null;
}

/** Returns the part of a message that has to be checked, or null when its headers are too expensive to check. */
function readCheckInput(raw: Buffer, section: ReceivedHeaders): CheckInput | null {
  if (section.isCut || section.headers.length > MAX_HEADERS) return null;
  if (hasMoreLines(raw.subarray(0, section.headersEnd), MAX_HEADER_LINES)) return null;
  const headers = section.headers.map((header) => ({ header, key: header.name.toLowerCase() }));
  const authors = headers.filter(({ key }) => key === 'from');
  if (authors.some(({ header }) => header.value.length > MAX_FROM_LENGTH)) return null;
  const signatures = headers.filter(({ key }) => key === 'dkim-signature');
  const isSigned = signatures.length > 0 || headers.some(({ key }) => key.startsWith('arc-'));
  if (isSigned) {
    const unchecked = new Set(signatures.slice(MAX_SIGNATURES).map(({ header }) => header));
    return { message: removeHeaders(raw, section, unchecked).raw, authorDomain: null };
  }
  const [, domain] = (authors.length === 1 && PLAIN_AUTHOR.exec(authors[0]!.header.value)) || [];
  if (domain) return { message: withAuthor(domain), authorDomain: domain };
  // Without a signature the body is not needed.
  return { message: raw.subarray(0, section.bodyStart), authorDomain: null };
}

function hasMoreLines(header: Buffer, limit: number): boolean {
  let lines = 0;
  for (let at = header.indexOf('\n'); at !== -1; at = header.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > limit) return true;
  }
  return false;
}

type Records = string[][] | string[];

async function lookUp(dns: Dns, name: string, type: string, end: Promise<void>): Promise<Records> {
  const bare = name.replace(/\.$/, '');
  if (!bare.includes('.') || PRIVATE_NAME.test(bare)) throw dnsError('ENOTFOUND', name);
  const answer = await Promise.race([ask(dns, bare, type), end]);
  if (!answer || answer.kind === 'failed') throw dnsError('ETIMEOUT', name);
  if (answer.kind === 'found') return answer.records as Records;
  // Whether a name is missing or only has no address decides which policy applies (`np=`, RFC 9989 section
  // 4.10.1).
  throw dnsError(answer.noSuchName || type === 'TXT' || type === 'MX' ? 'ENOTFOUND' : 'ENODATA', name);
}

async function ask(dns: Dns, name: string, type: string): Promise<DnsAnswer<unknown>> {
  switch (type) {
    case 'TXT': {
      const answer = await dns.txt(name);
      return answer.kind === 'found' ? { ...answer, records: answer.records.map((text) => [text]) } : answer;
    }
    case 'MX':
      return dns.mx(name);
    case 'A':
      return dns.a(name);
    case 'AAAA':
      return dns.aaaa(name);
    case 'CNAME':
      return dns.cname(name);
    default:
      return { kind: 'none' };
  }
}

/** Creating a stack trace would cost more than the lookup. */
function dnsError(code: string, name: string): Error {
  return Object.assign(Object.create(Error.prototype) as Error, { message: `${code} ${name}`, code });
}

function present(result: Mailauth.AuthenticateResult): SenderCheck {
  const signatures = result.dkim.results;
  const dmarc = result.dmarc || null;
  const alignment = dmarc?.alignment;
  const aligned = signatures.find(({ status }) => status.result === 'pass' && status.aligned);
  const isPass = dmarc?.status.result === 'pass';
  return {
    authenticationResults: readResults(result.headers),
    spf: toVerdict(result.spf ? result.spf.status : undefined),
    dkim: joinVerdicts(signatures.map(({ status }) => toVerdict(status))),
    // Without exactly one author DMARC cannot be evaluated (RFC 9989 section 5.3.1).
    dmarc: dmarc ? toVerdict(dmarc.status) : 'permerror',
    arc: toVerdict(result.arc ? result.arc.status : undefined),
    authorDomain: dmarc?.status.header?.from?.replace(/\.$/, '') ?? null,
    dmarcPolicy: toPolicy(dmarc?.policy),
    alignedDomain: isPass
      ? alignment?.dkim.result || alignment?.spf.result || null
      : (aligned?.signingDomain ?? null),
  };
}

function toVerdict(status: { result: string; comment?: string | boolean } | undefined): Verdict {
  const result = status?.result ?? 'none';
  // RFC 8601 section 2.7.1: a body hash mismatch is a failure.
  if (status?.comment === BODY_CHANGED) return 'fail';
  return VERDICTS.has(result) ? (result as Verdict) : 'neutral';
}

function joinVerdicts(verdicts: Verdict[]): Verdict {
  if (verdicts.includes('pass')) return 'pass';
  return DKIM_ORDER.find((verdict) => verdicts.includes(verdict)) ?? 'none';
}

function toPolicy(policy: string | undefined): SenderCheck['dmarcPolicy'] {
  return policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null;
}

const BODY_CHANGED = 'body hash did not verify';

function readResults(headers: string): string {
  const [, value = ''] = /^Authentication-Results: (.*(?:\r\n[ \t].*)*)/m.exec(headers) ?? [];
  return toStorable(toOneLine(value.replaceAll(/\r\n[ \t]+/g, ' '))).replaceAll(
    `dkim=neutral (${BODY_CHANGED})`,
    `dkim=fail (${BODY_CHANGED})`,
  );
}

function allVerdicts({ mta }: SenderEnvelope, verdict: Verdict): SenderCheck {
  const methods = ['spf', 'dkim', 'dmarc', 'arc'].map((method) => `${method}=${verdict}`);
  return {
    authenticationResults: `${mta}; ${methods.join('; ')}`,
    spf: verdict,
    dkim: verdict,
    dmarc: verdict,
    arc: verdict,
    authorDomain: null,
    dmarcPolicy: null,
    alignedDomain: null,
  };
}

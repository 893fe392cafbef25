/**
 * Whether a received message comes from whom it says: SPF, DKIM, DMARC and ARC. All look-ups go through our resolver
 * and end together after five seconds; what is not known by then is `temperror`. Nothing is asked about names that are
 * in no public DNS, nothing is fetched over HTTP (BIMI is off), and nothing here throws: a message is never lost for
 * what its sender published. Of a flood of unsigned messages with one sender not each is checked anew.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type * as Mailauth from 'mailauth';
import { parseDomain } from './address.ts';
import type { Dns, DnsAnswer } from './dns.ts';
import { toOneLine } from './header-encoding.ts';
import { toStorable } from './mime-decode.ts';
import { readAuthor } from './parse-headers.ts';
import { readAnyHeaders, readHeaders, type RawHeader } from './raw-headers.ts';
import { createMemory } from './remember.ts';

type Verdict = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';

export interface SenderCheck {
  /** The value of the Authentication-Results field (RFC 8601), on one line. */
  authenticationResults: string;
  spf: Verdict;
  dkim: Verdict;
  dmarc: Verdict;
  arc: Verdict;
  /** Who that is about: the one domain in From. */
  authorDomain: string | null;
  /** What it asks for, where it publishes a policy; of a `permerror`, what the domain that people see asks for. */
  dmarcPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** The domain that vouched for the one in From. */
  alignedDomain: string | null;
}

interface SenderEnvelope {
  ip: string;
  helo: string;
  /** Without angle brackets; empty for a report. */
  mailFrom: string;
  /** Our own name. */
  mta: string;
}

const TIMEOUT_MS = 5_000;
/** For the work itself, once every look-up has ended. */
const GRACE_MS = 10_000;
const CHUNK_BYTES = 64 * 1024;
// No honest message has more; each costs a look-up, a hash of the whole body, or the square of its length.
const MAX_SIGNATURES = 10;
const MAX_HEADERS = 2_000;
const MAX_HEADER_LINES = 4_000;
const MAX_FROM_LENGTH = 4_000;
// RFC 6761, RFC 6762, RFC 7686 and RFC 9476; reverse names tell nothing that SPF should use (RFC 7208 section 5.5).
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|invalid|onion|internal|alt|arpa)$/i;
// One address, written so that nobody could read it in two ways.
const PLAIN_AUTHOR = /^(?:"[\w .'-]*" *|[\w .'-]*)<[\w.+-]+@([a-z0-9.-]{1,253})>$/i;
const VERDICTS = new Set(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror']);
// Of several signatures that do not pass: a look-up that may still succeed first, then what is surely wrong.
const DKIM_ORDER: Verdict[] = ['temperror', 'fail', 'permerror', 'neutral'];

/** With the first message: it takes longer than all the rest of the start. */
let loading: Promise<typeof Mailauth> | undefined;

export type CheckSender = (raw: Buffer, envelope: SenderEnvelope) => Promise<SenderCheck>;

export function createSenderCheck(dns: Dns, timeoutMs = TIMEOUT_MS): CheckSender {
  const remember = createMemory<SenderCheck>();
  return async (raw, envelope) => {
    const matter = readMatter(raw);
    const { ip, helo, mailFrom, mta } = envelope;
    const check = (message: Buffer) => runChecks(message, envelope, dns, timeoutMs);
    if (!matter || matter.authorDomain === null) {
      const checked = matter ? await check(matter.message) : undecided(envelope, 'permerror');
      return askShown(checked, shownDomain(raw, mailFrom), check);
    }
    const key = JSON.stringify([ip, helo, mailFrom, mta, matter.authorDomain]);
    return remember(key, () => check(matter.message));
  };
}

/**
 * People see an author also where a checker finds none, several or another one: in a second From field, in a name that
 * is an address, in an envelope without From, in a header that is too costly to check. Nobody vouches for that one, and
 * what its domain asks for counts.
 */
async function askShown(
  checked: SenderCheck,
  shown: string | null,
  check: (message: Buffer) => Promise<SenderCheck>,
): Promise<SenderCheck> {
  if (shown === null || shown === checked.authorDomain) return checked;
  const other = await check(withAuthor(shown));
  return {
    ...checked,
    dmarc: checked.dmarc === 'fail' || checked.dmarc === 'temperror' ? checked.dmarc : 'permerror',
    dmarcPolicy: other.dmarc === 'fail' ? other.dmarcPolicy : checked.dmarcPolicy,
    alignedDomain: null,
  };
}

/** Of the address that is shown as the sender, as it looks: without what cannot be seen or is no part of a name. */
function shownDomain(raw: Buffer, mailFrom: string): string | null {
  const address = readAuthor(readAnyHeaders(raw))?.address ?? mailFrom;
  return parseDomain(address.slice(address.lastIndexOf('@') + 1).replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, ''));
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
  // Before the clock runs: on a cold machine it takes seconds, and the first message would pass unchecked.
  const { authenticate } = await (loading ??= import('mailauth'));
  // Two plain timers for all of it: signals to abort cost more than the look-ups themselves.
  const [lookUpsEnd, stopLookUps] = startTimer(timeoutMs);
  const [checkEnds, stopCheck] = startTimer(timeoutMs + GRACE_MS);
  try {
    const input = message.length <= CHUNK_BYTES ? message : Readable.from(inTurns(message));
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
      checkEnds.then(() => undecided(envelope, 'temperror')),
    ]);
  } catch {
    return undecided(envelope, 'temperror');
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

/** Piece by piece, so that hashing a large message does not hold up everybody else. */
async function* inTurns(message: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < message.length; at += CHUNK_BYTES) {
    yield message.subarray(at, at + CHUNK_BYTES);
    await nextTurn();
  }
}

interface Matter {
  message: Buffer;
  /** Of an unsigned message with a plain author: all that there is to check about it. */
  authorDomain: string | null;
}

/** What of a message has to be looked at. Null where its header is made to be costly. */
function readMatter(raw: Buffer): Matter | null {
  const section = readHeaders(raw);
  if (!section || section.headers.length > MAX_HEADERS) return null;
  if (hasMoreLines(raw.subarray(0, section.headersEnd), MAX_HEADER_LINES)) return null;
  const named = section.headers.map((header) => ({ ...header, key: header.name.toLowerCase() }));
  const authors = named.filter(({ key }) => key === 'from');
  if (authors.some(({ value }) => value.length > MAX_FROM_LENGTH)) return null;
  const signatures = named.filter(({ key }) => key === 'dkim-signature');
  const isSigned = signatures.length > 0 || named.some(({ key }) => key.startsWith('arc-'));
  if (isSigned) return { message: without(raw, signatures.slice(MAX_SIGNATURES)), authorDomain: null };
  const [, domain] = (authors.length === 1 && PLAIN_AUTHOR.exec(authors[0]!.value)) || [];
  if (domain) return { message: withAuthor(domain), authorDomain: domain };
  // Without a signature nobody asks what the body is.
  return { message: raw.subarray(0, section.bodyStart), authorDomain: null };
}

function without(raw: Buffer, headers: RawHeader[]): Buffer {
  if (headers.length === 0) return raw;
  const starts = [0, ...headers.map(({ end }) => end)];
  return Buffer.concat(starts.map((start, at) => raw.subarray(start, headers[at]?.start)));
}

function hasMoreLines(header: Buffer, most: number): boolean {
  let lines = 0;
  for (let at = header.indexOf('\n'); at !== -1; at = header.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > most) return true;
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
  // Whether a name is missing or only has no address decides which policy counts (`np=`, RFC 9989 section 4.10.1).
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

/** Without a stack, which nobody reads and which costs more than the look-up. */
function dnsError(code: string, name: string): Error {
  return Object.assign(Object.create(Error.prototype) as Error, { message: `${code} ${name}`, code });
}

function present(result: Mailauth.AuthenticateResult): SenderCheck {
  const signatures = result.dkim.results;
  const dmarc = result.dmarc || null;
  const alignment = dmarc?.alignment;
  const vouched = signatures.find(({ status }) => status.result === 'pass' && status.aligned);
  const isPass = dmarc?.status.result === 'pass';
  return {
    authenticationResults: readResults(result.headers),
    spf: toVerdict(result.spf ? result.spf.status : undefined),
    dkim: joinVerdicts(signatures.map(({ status }) => toVerdict(status))),
    // No author, or several: nobody can answer for it (RFC 9989 section 5.3.1).
    dmarc: dmarc ? toVerdict(dmarc.status) : 'permerror',
    arc: toVerdict(result.arc ? result.arc.status : undefined),
    authorDomain: dmarc?.status.header?.from?.replace(/\.$/, '') ?? null,
    dmarcPolicy: toPolicy(dmarc?.policy),
    alignedDomain: isPass
      ? alignment?.dkim.result || alignment?.spf.result || null
      : (vouched?.signingDomain ?? null),
  };
}

function toVerdict(status: { result: string; comment?: string | boolean } | undefined): Verdict {
  const result = status?.result ?? 'none';
  // RFC 8601 section 2.7.1: a signature that does not fit the body has failed.
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

function undecided({ mta }: SenderEnvelope, verdict: Verdict): SenderCheck {
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

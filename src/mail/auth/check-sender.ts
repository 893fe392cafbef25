/**
 * Checks the sender of a received message with SPF, DKIM, DMARC and ARC. All lookups use our resolver and share a
 * limit of five seconds; a check that has no result by then is `temperror`. Nothing is fetched over HTTP (BIMI is off).
 * Nothing here throws, so no message is lost because of its sender's records. The result for unsigned messages is
 * cached per sender, in case of a flood.
 *
 * The author is the one that our reader finds and all doors show. mailauth verifies signatures and looks up policies,
 * but does not choose the author. If it finds other header fields than our reader, its signatures count as failed. A
 * message without exactly one usable author fails DMARC.
 */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type * as Mailauth from 'mailauth';
import type { Dns } from './dns.ts';
import { toOneLine } from '../mime/header-encoding.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { removeHeaders, type RawHeader, type ReceivedHeaders } from '../mime/parse/raw-headers.ts';
import { readShownDomains, readSoleAuthor, type Author } from '../mime/parse/read-people.ts';
import { createMemoizer } from '../../platform/concurrency/memoize.ts';
import { lookUp } from './look-up.ts';

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
  /** The published policy. Without a single author, the strictest one of the displayed domains, at least `quarantine`. */
  dmarcPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** The fields that each passing DKIM signature covers, in lower case. */
  signedFields: string[][];
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
/** Each needs DNS lookups. */
const MAX_SHOWN_DOMAINS = 5;
const VERDICTS = new Set(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror']);
// The result for several signatures that do not pass: first a lookup that may succeed later, then definite failures.
const DKIM_ORDER: Verdict[] = ['temperror', 'fail', 'permerror', 'neutral'];
const BODY_CHANGED = 'body hash did not verify';
const NO_HEADER = Buffer.from('\r\n');

/** Loaded with the first message, because loading takes longer than the rest of the startup. */
let loading: Promise<typeof Mailauth> | undefined;

/** `section` holds the headers of `raw`. It must be regular, or mailauth may find other fields. */
export type CheckSender = (
  raw: Buffer,
  section: ReceivedHeaders,
  envelope: SenderEnvelope,
) => Promise<SenderCheck>;

export function createSenderCheck(dns: Dns, timeoutMs = TIMEOUT_MS): CheckSender {
  const remember = createMemoizer<SenderCheck>();
  return async (raw, section, envelope) => {
    const input = readCheckInput(raw, section);
    const check = () => runChecks(input, envelope, dns, timeoutMs);
    if (input.headers !== null) return check();
    const { ip, helo, mailFrom, mta } = envelope;
    const { author, shownDomains, isTooLarge } = input;
    return remember(JSON.stringify([ip, helo, mailFrom, mta, author, shownDomains, isTooLarge]), check);
  };
}

interface CheckInput {
  author: Author | null;
  /** Read only if there is no single author. */
  shownDomains: string[];
  /** The signed message, or an empty one if there are no signatures to check. */
  message: Buffer;
  /** The fields of a signed message. Null otherwise; the result then depends only on the author and the envelope. */
  headers: RawHeader[] | null;
  /** True if there are signatures, but too many fields to check them. */
  isTooLarge: boolean;
}

function readCheckInput(raw: Buffer, section: ReceivedHeaders): CheckInput {
  const author = readSoleAuthor(section);
  const shownDomains = author ? [] : readShownDomains(section);
  const isSigned = section.headers.some(
    (header) => isSignature(header) || header.name.toLowerCase().startsWith('arc-'),
  );
  const isTooLarge =
    isSigned &&
    (section.isCut ||
      section.headers.length > MAX_HEADERS ||
      hasMoreLines(raw.subarray(0, section.headersEnd), MAX_HEADER_LINES));
  const input = { author, shownDomains, isTooLarge };
  if (!isSigned || isTooLarge) return { ...input, message: NO_HEADER, headers: null };
  const unchecked = section.headers.filter(isSignature).slice(MAX_SIGNATURES);
  const kept = removeHeaders(raw, section, new Set(unchecked));
  return { ...input, message: kept.raw, headers: kept.section.headers };
}

function isSignature({ name }: RawHeader): boolean {
  return name.toLowerCase() === 'dkim-signature';
}

function hasMoreLines(header: Buffer, limit: number): boolean {
  let lines = 0;
  for (let at = header.indexOf('\n'); at !== -1; at = header.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > limit) return true;
  }
  return false;
}

async function runChecks(
  input: CheckInput,
  envelope: SenderEnvelope,
  dns: Dns,
  timeoutMs: number,
): Promise<SenderCheck> {
  // Load before the timers start. On a cold machine this takes seconds, and the first message would stay
  // unchecked.
  const mailauth = await (loading ??= import('mailauth'));
  // Two plain timers cost less than an AbortSignal for each lookup.
  const [lookUpsEnd, stopLookUps] = startTimer(timeoutMs);
  const [checkEnds, stopCheck] = startTimer(timeoutMs + GRACE_MS);
  const resolver: Resolver = (name, type) => lookUp(dns, name, type, lookUpsEnd);
  try {
    return await Promise.race([
      checkMessage(mailauth, input, envelope, resolver),
      checkEnds.then(() => withoutResult(input, envelope)),
    ]);
  } catch {
    return withoutResult(input, envelope);
  } finally {
    stopLookUps();
    stopCheck();
  }
}

type Resolver = NonNullable<Mailauth.DMARCOptions['resolver']>;

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

async function checkMessage(
  { authenticate, dmarc }: typeof Mailauth,
  { author, shownDomains, message, headers, isTooLarge }: CheckInput,
  { ip, helo, mailFrom, mta }: SenderEnvelope,
  resolver: Resolver,
): Promise<SenderCheck> {
  const { spf, dkim, arc } = await authenticate(
    message.length <= CHUNK_BYTES ? message : Readable.from(inPieces(message)),
    { ip, helo, sender: mailFrom, mta, resolver, rejectRsaSha1: true, disableBimi: true, disableDmarc: true },
  );
  const isReadAlike = headers === null || hasSameFields(dkim.headers?.parsed ?? [], headers);
  const signatures = isTooLarge ? [TOO_LARGE] : dkim.results.map((each) => judge(each, isReadAlike));
  const arcVerdict = isReadAlike ? toVerdict(arc ? arc.status : undefined) : 'fail';
  const passed = signatures.flatMap(({ verdict, domain }) => (verdict === 'pass' && domain ? domain : []));
  const spfDomains = spf && spf.status.result === 'pass' && spf.domain ? [spf.domain] : [];
  const evaluate = (domain: string, identifiers: { spf: string[]; dkim: string[] }) =>
    dmarc({
      headerFrom: [`author@${domain}`],
      spfDomains: identifiers.spf,
      dkimDomains: identifiers.dkim.map((each) => ({ domain: each })),
      ...(arc && isReadAlike ? { arcResult: arc } : {}),
      resolver,
    });
  const judged = author
    ? await judgeAuthor(author, (domain) => evaluate(domain, { spf: spfDomains, dkim: passed }))
    : await judgeShown(shownDomains, (domain) => evaluate(domain, { spf: [], dkim: [] }));
  const { info, ...dmarcResult } = judged;
  const rows = [
    ...signatures.map((each) => each.info),
    spf && spf.info,
    isReadAlike && arc && arc.info,
    info,
  ];
  return {
    authenticationResults: writeResults(mta, rows),
    spf: toVerdict(spf ? spf.status : undefined),
    dkim: joinVerdicts(signatures.map(({ verdict }) => verdict)),
    arc: arcVerdict,
    signedFields: signatures.flatMap(({ verdict, fields }) => (verdict === 'pass' ? [fields] : [])),
    ...dmarcResult,
  };
}

/** True if mailauth has split the header into the same fields. */
function hasSameFields(found: readonly { key: string | null }[], headers: RawHeader[]): boolean {
  return (
    found.length === headers.length &&
    headers.every(({ name }, no) => name.toLowerCase() === found[no]!.key?.toLowerCase())
  );
}

interface JudgedSignature {
  verdict: Verdict;
  domain: string | null;
  /** The fields that it covers, in lower case. */
  fields: string[];
  /** For Authentication-Results. */
  info: string;
}

const TOO_LARGE: JudgedSignature = {
  verdict: 'permerror',
  domain: null,
  fields: [],
  info: 'dkim=permerror (too many header fields)',
};

/**
 * A signature with `l=` that leaves bytes of the body unsigned does not pass, because anyone could have added them (RFC
 * 6376 section 8.2). A wrong body hash is a failure (RFC 8601 section 2.7.1).
 */
function judge(
  { status, signingDomain, signingHeaders, info }: Mailauth.DKIMResult,
  isReadAlike: boolean,
): JudgedSignature {
  const domain = signingDomain ?? null;
  const fields = (signingHeaders?.keys ?? '').toLowerCase().split(/: ?/);
  const as = (result: string) => info.replace(/^dkim=[a-z]+/, `dkim=${result}`);
  if (status.result === 'none') return { verdict: 'none', domain, fields, info };
  if (!isReadAlike) return { verdict: 'fail', domain, fields, info: as('fail') };
  if (status.comment === BODY_CHANGED) return { verdict: 'fail', domain, fields, info: as('fail') };
  if (status.result === 'pass' && status.underSized)
    return { verdict: 'neutral', domain, fields, info: as('policy') };
  return { verdict: toVerdict(status), domain, fields, info };
}

type DmarcResult = Pick<SenderCheck, 'dmarc' | 'dmarcPolicy' | 'authorDomain' | 'alignedDomain'> & {
  info: string;
};
type EvaluateDmarc = (domain: string) => Promise<Mailauth.DMARCResult | false>;

async function judgeAuthor({ domain }: Author, evaluate: EvaluateDmarc): Promise<DmarcResult> {
  const found = domain === null ? false : await evaluate(domain);
  if (!found)
    return {
      dmarc: 'none',
      dmarcPolicy: null,
      authorDomain: domain,
      alignedDomain: null,
      info: 'dmarc=none',
    };
  const { alignment } = found;
  const dmarc = toVerdict(found.status);
  return {
    dmarc,
    dmarcPolicy: toPolicy(found.policy),
    authorDomain: domain,
    alignedDomain: (dmarc === 'pass' && (alignment?.dkim.result || alignment?.spf.result)) || null,
    info: found.info || `dmarc=${dmarc}`,
  };
}

/**
 * Email apps may show authors where there is none, several, or one that they read differently. Nobody has authenticated
 * those, so the strictest policy of their domains applies (RFC 7489 section 6.6.1), and at least `quarantine`.
 */
async function judgeShown(shownDomains: string[], evaluate: EvaluateDmarc): Promise<DmarcResult> {
  let dmarcPolicy: SenderCheck['dmarcPolicy'] = 'quarantine';
  for (const domain of shownDomains.slice(0, MAX_SHOWN_DOMAINS)) {
    const found = await evaluate(domain);
    if (found && found.status.result === 'fail' && found.policy === 'reject') dmarcPolicy = 'reject';
  }
  return { dmarc: 'fail', dmarcPolicy, authorDomain: null, alignedDomain: null, info: NO_AUTHOR };
}

const NO_AUTHOR = 'dmarc=fail (not exactly one author)';

function toVerdict(status: { result: string } | undefined): Verdict {
  const result = status?.result ?? 'none';
  return VERDICTS.has(result) ? (result as Verdict) : 'neutral';
}

function joinVerdicts(verdicts: Verdict[]): Verdict {
  if (verdicts.includes('pass')) return 'pass';
  return DKIM_ORDER.find((verdict) => verdicts.includes(verdict)) ?? 'none';
}

function toPolicy(policy: string | undefined): SenderCheck['dmarcPolicy'] {
  return policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null;
}

function writeResults(mta: string, rows: (string | false | undefined)[]): string {
  const values = [mta, ...rows].flatMap((row) => row || []);
  return toStorable(toOneLine(values.join('; ').replaceAll(/\r\n[ \t]+/g, ' ')));
}

/** The result if the checks did not end in time. */
function withoutResult({ author }: CheckInput, { mta }: SenderEnvelope): SenderCheck {
  const rows = ['spf=temperror', 'dkim=temperror', author ? 'dmarc=temperror' : NO_AUTHOR, 'arc=temperror'];
  return {
    authenticationResults: writeResults(mta, rows),
    spf: 'temperror',
    dkim: 'temperror',
    dmarc: author ? 'temperror' : 'fail',
    arc: 'temperror',
    signedFields: [],
    authorDomain: null,
    dmarcPolicy: author ? null : 'quarantine',
    alignedDomain: null,
  };
}

/** Reads a report about the encryption of connections (RFC 8460 section 4). Fields that are not known are ignored. */
import { isIP } from 'node:net';
import { parseDomain } from '../mime/address.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { ReportProblem } from './report-problem.ts';

/** A report has a few policies and failures, so JSON of this size is none. It is parsed in one step. */
const MAX_TLS_BYTES = 5_000_000;

export interface TlsFailure {
  type: string;
  policyType: string | null;
  mx: string | null;
  receivingIp: string | null;
  sendingIp: string | null;
  reason: string | null;
}

interface TlsPolicy {
  /** `sts`, `tlsa` or `no-policy-found`. */
  type: string;
  domain: string | null;
  /** An MTA-STS policy that does not enforce, or one whose text is not in the report. */
  isTesting: boolean;
  succeeded: number;
  failed: number;
  failures: { failure: TlsFailure; sessions: number }[];
}

export interface TlsReport {
  orgName: string;
  contact: string | null;
  reportId: string;
  begin: Date;
  end: Date;
  policies: TlsPolicy[];
}

const MAX_POLICIES = 500;
const MAX_FAILURES = 5_000;
const MAX_COUNT = 1_000_000_000;
const MAX_TEXT = 253;
const MAX_REASON = 500;

type Fields = Record<string, unknown>;

export async function readTlsReport(pieces: AsyncIterable<Buffer>): Promise<TlsReport> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > MAX_TLS_BYTES)
      throw new ReportProblem(`The report unpacks to more than ${MAX_TLS_BYTES / 1_000_000} MB.`);
    chunks.push(piece);
  }
  return toTlsReport(
    parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    ),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReportProblem('The JSON of the report is not complete.', { cause: error });
  }
}

function toTlsReport(parsed: unknown): TlsReport {
  const report = fieldsOf(parsed);
  const range = fieldsOf(report['date-range']);
  const begin = timeOf(range['start-datetime']);
  const end = timeOf(range['end-datetime']);
  const reportId = textOf(report['report-id']);
  const policies = listOf(report['policies']);
  if (!reportId || !begin || !end || end < begin || policies.length === 0)
    throw new ReportProblem('The report does not say its ID, its dates, or a policy.');
  if (policies.length > MAX_POLICIES)
    throw new ReportProblem(`The report has more than ${MAX_POLICIES} policies.`);
  const failures = policies.reduce<number>(
    (sum, each) => sum + listOf(fieldsOf(each)['failure-details']).length,
    0,
  );
  if (failures > MAX_FAILURES) throw new ReportProblem(`The report has more than ${MAX_FAILURES} failures.`);
  const contact = textOf(report['contact-info']);
  return {
    orgName: textOf(report['organization-name']) ?? contact ?? 'unknown',
    contact,
    reportId,
    begin,
    end,
    policies: policies.map(toPolicy),
  };
}

function toPolicy(given: unknown): TlsPolicy {
  const { policy: about, summary, 'failure-details': details } = fieldsOf(given);
  const policy = fieldsOf(about);
  const type = textOf(policy['policy-type'])?.toLowerCase() ?? 'no-policy-found';
  const domain = textOf(policy['policy-domain']);
  const counts = fieldsOf(summary);
  const failures = listOf(details).map((each) => toFailure(fieldsOf(each), type));
  const lines = listOf(policy['policy-string']).map((line) => (textOf(line) ?? '').toLowerCase());
  return {
    type,
    domain: domain && (parseDomain(domain.replace(/\.$/, '')) ?? domain.toLowerCase()),
    isTesting: type === 'sts' && !lines.some((line) => /^mode:\s*enforce$/.test(line)),
    succeeded: countOf(counts['total-successful-session-count']),
    failed: Math.max(
      countOf(counts['total-failure-session-count']),
      Math.min(
        failures.reduce((sum, { sessions }) => sum + sessions, 0),
        MAX_COUNT,
      ),
    ),
    failures,
  };
}

function toFailure(details: Fields, policyType: string): TlsPolicy['failures'][number] {
  const reason = textOf(details['failure-reason-code'] ?? details['failure-error-code'], MAX_REASON);
  const more = textOf(details['additional-information'], MAX_REASON);
  return {
    sessions: countOf(details['failed-session-count']),
    failure: {
      type: textOf(details['result-type'])?.toLowerCase() ?? 'unknown',
      policyType,
      mx: textOf(details['receiving-mx-hostname'])?.toLowerCase().replace(/\.$/, '') ?? null,
      receivingIp: addressOf(details['receiving-ip']),
      sendingIp: addressOf(details['sending-mta-ip']),
      reason: [reason, more].filter(Boolean).join(' ').slice(0, MAX_REASON) || null,
    },
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** One value counts as a list of one: RFC 8460 has examples of both. */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return value === undefined || value === null ? [] : [value];
}

function textOf(value: unknown, max = MAX_TEXT): string | null {
  if (typeof value !== 'string') return null;
  return toStorable([...value.slice(0, 2 * max).trim()].slice(0, max).join('')) || null;
}

function addressOf(value: unknown): string | null {
  const text = textOf(value);
  return text && isIP(text) !== 0 ? text.toLowerCase() : null;
}

function countOf(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? Math.min(Math.trunc(number), MAX_COUNT) : 0;
}

const EARLIEST = Date.UTC(2016, 0);
const LATEST = Date.UTC(2200, 0);

function timeOf(value: unknown): Date | null {
  const time = Date.parse(textOf(value) ?? '');
  return time >= EARLIEST && time <= LATEST ? new Date(time) : null;
}

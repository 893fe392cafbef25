/** The values of an aggregate report, from its elements. What is missing or odd gets a plain value, or fails the report. */
import { isIP } from 'node:net';
import { parseDomain } from '../mime/address.ts';
import { ReportProblem } from './report-problem.ts';

/** An element with its text and the elements in it. */
export interface XmlElement {
  text: string;
  children: Map<string, XmlElement[]>;
}

export interface DmarcReport {
  orgName: string;
  contact: string | null;
  extraContact: string | null;
  reportId: string;
  begin: Date;
  end: Date;
  problems: string[];
  policy: PublishedPolicy;
}

interface PublishedPolicy {
  /** In A-labels and lower case. */
  domain: string;
  p: Policy;
  sp: Policy | null;
  np: Policy | null;
  adkim: 'r' | 's';
  aspf: 'r' | 's';
  pct: number | null;
  fo: string | null;
  /** RFC 9990: receivers apply the next lower policy. */
  testing: boolean;
}

type Policy = 'none' | 'quarantine' | 'reject';

/** What one row of a report says about messages with the same properties. */
export interface ReportRow {
  sourceIp: string;
  disposition: Policy;
  dkimAligned: boolean;
  spfAligned: boolean;
  headerFrom: string | null;
  envelopeFrom: string | null;
  dkim: { domain: string; selector: string | null; result: string }[];
  spf: { domain: string; scope: string | null; result: string }[];
  reasons: { type: string; comment: string | null }[];
}

const MAX_NAME = 253;
const MAX_COUNT = 1_000_000_000;
const LATEST = Date.UTC(2200, 0) / 1000;

export function toDmarcReport(feedback: XmlElement): DmarcReport {
  const metadata = childOf(feedback, 'report_metadata');
  const published = childOf(feedback, 'policy_published');
  const range = childOf(metadata, 'date_range');
  const begin = timeOf(range, 'begin');
  const end = timeOf(range, 'end');
  const reportId = textOf(metadata, 'report_id');
  const domain = nameOf(published, 'domain');
  if (!reportId || !begin || !end || end < begin || !domain)
    throw new ReportProblem('The report does not say its ID, its dates, or the domain that it is about.');
  return {
    orgName: textOf(metadata, 'org_name') ?? textOf(metadata, 'email') ?? 'unknown',
    contact: textOf(metadata, 'email'),
    extraContact: textOf(metadata, 'extra_contact_info'),
    reportId,
    begin,
    end,
    problems: listOf(metadata, 'error').flatMap(({ text }) => cut(text) ?? []),
    policy: toPolicy(published, domain),
  };
}

function toPolicy(published: XmlElement | null, domain: string): PublishedPolicy {
  const pct = Number(textOf(published, 'pct') ?? Number.NaN);
  return {
    domain,
    p: policyOf(published, 'p') ?? 'none',
    sp: policyOf(published, 'sp'),
    np: policyOf(published, 'np'),
    adkim: textOf(published, 'adkim')?.toLowerCase() === 's' ? 's' : 'r',
    aspf: textOf(published, 'aspf')?.toLowerCase() === 's' ? 's' : 'r',
    pct: Number.isInteger(pct) && pct >= 0 && pct <= 100 ? pct : null,
    fo: textOf(published, 'fo'),
    testing: textOf(published, 'testing')?.toLowerCase() === 'y',
  };
}

export function toRow(record: XmlElement): { row: ReportRow; messages: number } {
  const row = childOf(record, 'row');
  const evaluated = childOf(row, 'policy_evaluated');
  const identifiers = childOf(record, 'identifiers');
  const results = childOf(record, 'auth_results');
  const messages = Number(textOf(row, 'count') ?? Number.NaN);
  const ip = textOf(row, 'source_ip') ?? '';
  if (Number.isNaN(messages) || isIP(ip) === 0)
    throw new ReportProblem('A row of the report has no address or no count.');
  return {
    messages: Math.max(0, Math.min(Math.trunc(messages), MAX_COUNT)),
    row: {
      sourceIp: ip.toLowerCase(),
      disposition: policyOf(evaluated, 'disposition') ?? 'none',
      dkimAligned: textOf(evaluated, 'dkim')?.toLowerCase() === 'pass',
      spfAligned: textOf(evaluated, 'spf')?.toLowerCase() === 'pass',
      headerFrom: nameOf(identifiers, 'header_from'),
      envelopeFrom: nameOf(identifiers, 'envelope_from'),
      dkim: listOf(results, 'dkim').flatMap((each) => {
        const domain = nameOf(each, 'domain');
        return domain ? [{ domain, selector: textOf(each, 'selector'), result: resultOf(each) }] : [];
      }),
      spf: listOf(results, 'spf').flatMap((each) => {
        const domain = nameOf(each, 'domain');
        return domain ? [{ domain, scope: textOf(each, 'scope'), result: resultOf(each) }] : [];
      }),
      reasons: listOf(evaluated, 'reason').map((each) => ({
        type: (textOf(each, 'type') ?? 'other').toLowerCase(),
        comment: textOf(each, 'comment'),
      })),
    },
  };
}

/** A row as a short text without names of fields, because a report can have 200,000. */
export function packRow(row: ReportRow): string {
  return JSON.stringify([
    row.sourceIp,
    row.disposition,
    row.dkimAligned,
    row.spfAligned,
    row.headerFrom,
    row.envelopeFrom,
    row.dkim.map(({ domain, selector, result }) => [domain, selector, result]),
    row.spf.map(({ domain, scope, result }) => [domain, scope, result]),
    row.reasons.map(({ type, comment }) => [type, comment]),
  ]);
}

type Signed = [domain: string, selectorOrScope: string | null, result: string];

export function unpackRow(packed: string): ReportRow {
  const [sourceIp, disposition, dkimAligned, spfAligned, headerFrom, envelopeFrom, dkim, spf, reasons] =
    JSON.parse(packed) as [
      string,
      Policy,
      boolean,
      boolean,
      string | null,
      string | null,
      Signed[],
      Signed[],
      [string, string | null][],
    ];
  return {
    sourceIp,
    disposition,
    dkimAligned,
    spfAligned,
    headerFrom,
    envelopeFrom,
    dkim: dkim.map(([domain, selector, result]) => ({ domain, selector, result })),
    spf: spf.map(([domain, scope, result]) => ({ domain, scope, result })),
    reasons: reasons.map(([type, comment]) => ({ type, comment })),
  };
}

function listOf(element: XmlElement | null, name: string): XmlElement[] {
  return element?.children.get(name) ?? [];
}

function childOf(element: XmlElement | null, name: string): XmlElement | null {
  return listOf(element, name)[0] ?? null;
}

function textOf(element: XmlElement | null, name: string): string | null {
  return cut(childOf(element, name)?.text ?? '');
}

function cut(text: string): string | null {
  return [...text.trim()].slice(0, MAX_NAME).join('') || null;
}

/** A domain in A-labels. Other texts, such as an address in its place, stay as they are. */
function nameOf(element: XmlElement | null, name: string): string | null {
  const text = textOf(element, name);
  return text && (parseDomain(text.replace(/\.$/, '')) ?? text.toLowerCase());
}

function resultOf(element: XmlElement): string {
  return (textOf(element, 'result') ?? 'none').toLowerCase().slice(0, 20);
}

function policyOf(element: XmlElement | null, name: string): Policy | null {
  const text = textOf(element, name)?.toLowerCase();
  return text === 'none' || text === 'quarantine' || text === 'reject' ? text : null;
}

/** Seconds since 1970. Some reporters write a fraction. */
function timeOf(element: XmlElement | null, name: string): Date | null {
  const seconds = Number(textOf(element, name) ?? Number.NaN);
  return seconds > 0 && seconds <= LATEST ? new Date(Math.trunc(seconds) * 1000) : null;
}

/** Counts the results of an import, and shows them. */
import { formatTable, oneLine } from '../progress.ts';
import type { Domain } from '../../features/sending/domains/domains.schema.ts';

const NOUNS = [
  'domains',
  'templates',
  'topics',
  'suppressions',
  'contact books',
  'segments',
  'contacts',
] as const;
export type Noun = (typeof NOUNS)[number];
const OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const;
type ItemOutcome = (typeof OUTCOMES)[number];

const MAX_REFUSALS_SHOWN = 20;

export interface ImportReport {
  counts: Record<Noun, Record<ItemOutcome, number>>;
  newDomains: Domain[];
  /** The first rejected entries. */
  refusals: string[];
  /** Items that were not imported, with their counts. */
  skipped: Map<string, number>;
}

export function createReport(): ImportReport {
  const counts = Object.fromEntries(
    NOUNS.map((noun) => [noun, { created: 0, updated: 0, unchanged: 0, refused: 0 }]),
  ) as ImportReport['counts'];
  return { counts, newDomains: [], refusals: [], skipped: new Map() };
}

export function refuse(report: ImportReport, noun: Noun, what: string, reason: string): void {
  report.counts[noun].refused += 1;
  if (report.refusals.length < MAX_REFUSALS_SHOWN)
    report.refusals.push(`${oneLine(what).slice(0, 320)}: ${oneLine(reason)}`);
}

export function formatReport(report: ImportReport, { isDry }: { isDry: boolean }): string {
  const heads = ['', 'found', ...(isDry ? ['would be created', 'would be updated'] : ['created', 'updated'])];
  const rows = NOUNS.map((noun) => {
    const count = report.counts[noun];
    const found = OUTCOMES.reduce((sum, outcome) => sum + count[outcome], 0);
    return [noun, found, ...OUTCOMES.map((outcome) => count[outcome])].map(String);
  });
  const lines = [formatTable([[...heads, 'unchanged', 'rejected'], ...rows])];
  const refused = NOUNS.reduce((sum, noun) => sum + report.counts[noun].refused, 0);
  if (refused > 0)
    lines.push(
      `\nRejected${refused > report.refusals.length ? ` (the first ${report.refusals.length})` : ''}:`,
      ...report.refusals.map((each) => `  ${each}`),
    );
  if (report.skipped.size > 0)
    lines.push(
      '\nNot imported:',
      ...[...report.skipped].map(([what, count]) => `  ${count} × ${oneLine(what)}`),
    );
  for (const domain of report.newDomains) lines.push(`\n${formatRecords(domain)}`);
  return lines.join('\n');
}

function formatRecords({ name, dnsRecords }: Domain): string {
  const rows = dnsRecords.map((record) => {
    const value = record.priority === null ? record.value : `${record.priority} ${record.value}`;
    return `  ${record.type.padEnd(4)}  ${record.name}  ${value}${record.recommended ? '  (recommended)' : ''}`;
  });
  return `Publish these DNS records for ${name}, then verify the domain:\n${rows.join('\n')}`;
}

export function describeProgress({ counts }: ImportReport): string {
  const seen = (noun: Noun) => OUTCOMES.reduce((sum, outcome) => sum + counts[noun][outcome], 0);
  return `${seen('contacts').toLocaleString('en')} contacts and ${seen('suppressions').toLocaleString('en')} suppressions so far`;
}

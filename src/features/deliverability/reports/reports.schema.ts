import { z } from 'zod';
import { dateTime, text, timestamp } from '../../../platform/schema.ts';
import { domainParams } from '../../sending/domains/domains.schema.ts';

export { domainParams as reportParams };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_TEXT = 40;

/** A day, or a point in time. Of a day as the end, all of it counts. */
function point(isEnd: boolean) {
  return z
    .string()
    .max(MAX_TEXT)
    .refine(
      (value) => (DAY.test(value) ? z.iso.date().safeParse(value) : dateTime.safeParse(value)).success,
      {
        error: 'must be a date such as 2026-11-15, or a time such as 2026-11-15T09:30:00Z',
      },
    )
    .refine((value) => value >= '1970', { error: 'must not be before 1970' })
    .transform((value) => new Date(DAY.test(value) && isEnd ? `${value}T23:59:59.999Z` : value))
    .optional();
}

export const reportQuery = z
  .object({
    from: point(false).meta({ type: 'string', description: 'Only reports that begin then or later' }),
    to: point(true).meta({ type: 'string', description: 'Only reports that begin then or earlier' }),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { error: 'must not be before from', path: ['to'] });

const policy = z.enum(['none', 'quarantine', 'reject']);
const day = z.object({
  date: z.string(),
  messages: z.int(),
  aligned: z.int(),
  failed: z.int(),
});

const sourceKind = z.enum(['ours', 'service', 'forwarder', 'other']);

const source = z
  .object({
    name: z.string().describe('A service, a domain, or a network'),
    kind: sourceKind.describe(
      'This server, a known email service, a server that passes mail on, or another one',
    ),
    host: z
      .string()
      .nullable()
      .describe(
        'The host name of its busiest address by reverse DNS, of a source that is named by its network. A hint only',
      ),
    ours: z.boolean(),
    confirmed: z
      .boolean()
      .describe(
        'Its mail counts for the advice about the policy. Decided by `mark`, else by what the reports say',
      ),
    mark: z
      .enum(['confirmed', 'disowned'])
      .nullable()
      .describe('What someone has said about it. Null if nobody has'),
    ips: z.array(z.string()).describe('The 50 addresses with the most messages'),
    ipCount: z.int(),
    messages: z.int(),
    spf: z.int().describe('Messages for which SPF passed for the domain'),
    dkim: z.int().describe('Messages with a signature of the domain that passed'),
    aligned: z.int().describe('Messages that passed DMARC, by SPF or DKIM'),
    quarantined: z.int(),
    rejected: z.int(),
    sentence: z.string().describe('Who sends, and what to do'),
  })
  .meta({ id: 'DmarcSource' });

export const dmarcReports = z
  .object({
    messages: z.int(),
    aligned: z.int(),
    failed: z.int(),
    policy: policy.nullable().describe('The policy that the newest report found. Null without reports'),
    sources: z.array(source).describe('The 200 with the most messages'),
    byDay: z.array(day),
    reporters: z.array(
      z.object({ name: z.string(), contact: z.string().nullable(), reports: z.int(), messages: z.int() }),
    ),
    unverified: z
      .object({ reports: z.int(), messages: z.int() })
      .describe('Reports whose own message did not pass DMARC. They are counted nowhere else'),
    lastReportAt: timestamp.nullable(),
    next: z
      .object({ policy, since: timestamp, because: z.string() })
      .nullable()
      .describe('The policy that is safe to publish now. Null while there is no step to take'),
    advice: z.string().describe('What to do next about the policy'),
  })
  .meta({ id: 'DmarcReports' });

export const markedSource = z
  .object({
    name: text({ min: 1, max: 255 }).describe('The `name` of a source'),
    kind: sourceKind,
    confirmed: z
      .boolean()
      .nullable()
      .describe('Whether it sends for the domain. Null: the reports decide again'),
  })
  .meta({ id: 'MarkedSource' });
export type MarkedSource = z.infer<typeof markedSource>;

export type DmarcReports = z.infer<typeof dmarcReports>;
export type DmarcSource = DmarcReports['sources'][number];
export type ReportRange = z.output<typeof reportQuery>;

const failure = z
  .object({
    type: z.string().describe('As in RFC 8460 section 4.3, such as certificate-expired'),
    count: z.int().describe('Connections'),
    mx: z.string().nullable().describe('The server that was connected to'),
    reason: z.string().nullable().describe('What a reporter says about it'),
    lastAt: timestamp.describe('The end of the last report about it'),
    sentence: z.string().describe('What it means, and what to do'),
  })
  .meta({ id: 'TlsFailure' });

export const tlsReports = z
  .object({
    sessions: z.int().describe('Connections to the servers of the domain, failed ones too'),
    failed: z.int(),
    failures: z.array(failure).describe('The 200 most frequent'),
    byDay: z.array(z.object({ date: z.string(), sessions: z.int(), failed: z.int() })),
    reporters: z.array(
      z.object({ name: z.string(), contact: z.string().nullable(), reports: z.int(), sessions: z.int() }),
    ),
    unverified: z
      .object({ reports: z.int(), sessions: z.int() })
      .describe('Reports by mail whose own message did not pass DMARC. They are counted nowhere else'),
    lastReportAt: timestamp.nullable(),
  })
  .meta({ id: 'TlsReports' });

export type TlsReports = z.infer<typeof tlsReports>;

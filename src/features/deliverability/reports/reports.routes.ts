import { route } from '../../api/route.ts';
import { getDmarcReports } from './dmarc-reports.ts';
import {
  dmarcReports,
  markedSource,
  reportParams,
  reportQuery,
  tlsReports,
  type DmarcReports,
  type TlsReports,
} from './reports.schema.ts';
import { markSource } from './mark-source.ts';
import { getTlsReports } from './tls-reports.ts';

const group = 'Domains';

const example: DmarcReports = {
  messages: 1240,
  aligned: 1209,
  failed: 31,
  policy: 'none',
  sources: [
    {
      name: 'mail.example.com',
      kind: 'ours',
      host: null,
      ours: true,
      confirmed: true,
      mark: null,
      ips: ['203.0.113.25'],
      ipCount: 1,
      messages: 1209,
      spf: 1209,
      dkim: 1209,
      aligned: 1209,
      quarantined: 0,
      rejected: 0,
      sentence: 'This server sent 1,209 messages, and all passed. There is nothing to do.',
    },
  ],
  byDay: [{ date: '2026-11-15', messages: 1240, aligned: 1209, failed: 31 }],
  reporters: [
    { name: 'google.com', contact: 'noreply-dmarc-support@google.com', reports: 14, messages: 1240 },
  ],
  unverified: { reports: 0, messages: 0 },
  lastReportAt: '2026-11-16T04:12:09.000Z',
  next: {
    policy: 'quarantine',
    since: '2026-11-01T00:00:00.000Z',
    because:
      'Since 2026-11-01, 100% of 1,209 messages from your confirmed sources passed, so the policy quarantine will not stop your own mail.',
  },
  advice: 'Change p=none to p=quarantine in the DMARC record.',
};

const tlsExample: TlsReports = {
  sessions: 5629,
  failed: 303,
  failures: [
    {
      type: 'certificate-expired',
      count: 303,
      mx: 'mail.example.com',
      reason: null,
      lastAt: '2026-11-15T23:59:59.000Z',
      sentence: 'The certificate of mail.example.com has expired. Renew it. This affected 303 connections.',
    },
  ],
  byDay: [{ date: '2026-11-15', sessions: 5629, failed: 303 }],
  reporters: [{ name: 'Google Inc.', contact: 'smtp-tls-reporting@google.com', reports: 1, sessions: 5629 }],
  unverified: { reports: 0, sessions: 0 },
  lastReportAt: '2026-11-16T04:12:09.000Z',
};

export const domainReportRoutes = [
  route({
    operationId: 'getDmarcReports',
    method: 'GET',
    path: '/v1/domains/{id}/reports/dmarc',
    scope: 'domains.read',
    group,
    summary: 'Get the DMARC reports about a domain',
    description:
      'Who sends email as the domain, whether it passed, and which policy is safe. Mail servers of others send these reports once a day to the address in the DMARC record of `dnsRecords`. Without `from` and `to` all reports count that are kept.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: reportParams,
    query: reportQuery,
    answer: dmarcReports,
    example: { params: { id: '1' }, query: { from: '2026-11-01', to: '2026-11-15' }, answer: example },
    handle: ({ db, caller, facts, params: { id }, query }) => getDmarcReports(db, caller, id, query, facts),
  }),
  route({
    operationId: 'markDmarcSource',
    method: 'PUT',
    path: '/v1/domains/{id}/reports/dmarc/source',
    scope: 'none',
    group,
    summary: 'Confirm or disown a source of DMARC reports',
    description:
      'Says whether a source sends for the domain. Mail of confirmed sources counts for the advice about the policy, mail of disowned ones does not.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: reportParams,
    body: markedSource,
    answer: markedSource,
    example: {
      params: { id: '1' },
      body: { name: 'Mailchimp', kind: 'service', confirmed: false },
      answer: { name: 'Mailchimp', kind: 'service', confirmed: false },
    },
    handle: ({ db, caller, params: { id }, body }) => markSource(db, caller, id, body),
  }),
  route({
    operationId: 'getTlsReports',
    method: 'GET',
    path: '/v1/domains/{id}/reports/tls',
    scope: 'domains.read',
    group,
    summary: 'Get the TLS reports about a domain',
    description:
      'Whether connections of other servers to the mail servers of the domain were encrypted (RFC 8460). Other servers send these reports once a day to the address or URL in the `_smtp._tls` record of `dnsRecords`. With `mtaStsAuto`, 14 days of reports without a failure turn the MTA-STS mode `testing` into `enforce`.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: reportParams,
    query: reportQuery,
    answer: tlsReports,
    example: { params: { id: '1' }, query: { from: '2026-11-01', to: '2026-11-15' }, answer: tlsExample },
    handle: ({ db, caller, params: { id }, query }) => getTlsReports(db, caller, id, query),
  }),
];

/** Writes TLS reports for other domains, and the messages that carry them (RFC 8460 sections 4 and 5.3). */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface SentTlsReport {
  /** The name of this server. */
  organization: string;
  contact: string;
  reportId: string;
  /** In UTC, such as 2026-11-15. */
  day: string;
  domain: string;
  /** The address that our connections come from, if it is known. */
  sendingIp: string | null;
  policies: SentTlsPolicy[];
}

export interface SentTlsPolicy {
  type: string;
  lines: string[];
  hosts: string[];
  succeeded: number;
  failures: { type: string; mx: string; ip: string; reason: string | null; sessions: number }[];
}

/** The report as JSON, compressed. */
export function writeTlsReport(report: SentTlsReport): Buffer {
  const { organization, contact, reportId, day, domain, sendingIp, policies } = report;
  return gzipSync(
    JSON.stringify({
      'organization-name': organization,
      'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
      'contact-info': contact,
      'report-id': reportId,
      policies: policies.map(({ type, lines, hosts, succeeded, failures }) => ({
        policy: {
          'policy-type': type,
          ...(lines.length > 0 ? { 'policy-string': lines } : {}),
          'policy-domain': domain,
          ...(hosts.length > 0 ? { 'mx-host': hosts } : {}),
        },
        summary: {
          'total-successful-session-count': succeeded,
          'total-failure-session-count': failures.reduce((sum, { sessions }) => sum + sessions, 0),
        },
        ...(failures.length > 0
          ? {
              'failure-details': failures.map((failure) => ({
                'result-type': failure.type,
                ...(sendingIp === null ? {} : { 'sending-mta-ip': sendingIp }),
                'receiving-mx-hostname': failure.mx,
                'receiving-ip': failure.ip,
                'failed-session-count': failure.sessions,
                ...(failure.reason === null ? {} : { 'failure-reason-code': failure.reason }),
              })),
            }
          : {}),
      })),
    }),
  );
}

/** RFC 2045 section 6.8. */
const LINES = /.{1,76}/g;

export function composeTlsReport(
  packed: Buffer,
  { organization, reportId, day, domain }: SentTlsReport,
  { from, to }: { from: string; to: string },
): Buffer {
  const boundary = `report-${randomUUID()}`;
  const filename = `${organization}!${domain}!${Date.parse(day) / 1000}!${Date.parse(day) / 1000 + 86_399}.json.gz`;
  const lines = [
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: Report Domain: ${domain} Submitter: ${organization} Report-ID: <${reportId}>`,
    `TLS-Report-Domain: ${domain}`,
    `TLS-Report-Submitter: ${organization}`,
    // Reports about broken encryption must arrive in spite of it (RFC 8460 section 5.3).
    'TLS-Required: No',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `This is a TLS report about ${domain} of ${day}, by ${organization} (RFC 8460).`,
    `--${boundary}`,
    'Content-Type: application/tlsrpt+gzip',
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${filename}"`,
    '',
    ...(packed.toString('base64').match(LINES) ?? []),
    `--${boundary}--`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

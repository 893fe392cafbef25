/** Composes a delivery report (RFC 3464, and RFC 6533 for addresses outside ASCII). */
import { randomUUID } from 'node:crypto';
import { formatDate, toOneLine } from '../mime/header-encoding.ts';

export interface ComposedReport {
  /** The host name of this server. */
  reportingMta: string;
  from: string;
  to: string;
  date: Date;
  arrivedAt: Date;
  subject: string;
  messageId: string;
  recipient: string;
  /** In xtext, as the client sent it. */
  orcpt: string | null;
  /** In xtext, as the client sent it. */
  envid: string | null;
  action: 'failed' | 'delayed' | 'delivered' | 'relayed';
  /** The code of RFC 3463. */
  status: string;
  diagnostic: string | null;
  /** The server that was tried. */
  host: string | null;
  /** The message, or only its headers. Null if it was deleted. */
  returned: { raw: Buffer; isWhole: boolean } | null;
}

const SUBJECTS = {
  failed: 'Undelivered mail',
  delayed: 'Delayed mail',
  delivered: 'Delivered mail',
  relayed: 'Relayed mail',
};

const SENTENCES = {
  failed: 'Your message could not be delivered to this recipient:',
  delayed: 'Your message has not been delivered to this recipient yet. The server keeps trying:',
  delivered: 'Your message was delivered to this recipient:',
  relayed: 'Your message was handed to the mail server of this recipient, which sends no reports of its own:',
};

const MAX_LINE_LENGTH = 900;

export function composeReport(report: ComposedReport): Buffer {
  const { from, to, date, subject, messageId, action, returned } = report;
  const boundary = `report-${randomUUID()}`;
  // oxlint-disable-next-line no-control-regex
  const isGlobal = /[^\u0000-\u007f]/.test(`${report.recipient}${report.orcpt ?? ''}`);
  const text = describe(report);
  const parts = [
    `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}`,
    isGlobal
      ? `Content-Type: message/global-delivery-status\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${writeStatus(report)}`
      : `Content-Type: message/delivery-status\r\n\r\n${writeStatus(report)}`,
  ];
  const head = [
    `From: Mail Delivery System <${from}>`,
    `To: <${to}>`,
    `Subject: ${SUBJECTS[action]}: ${toOneLine(subject).slice(0, 200).toWellFormed()}`,
    `Date: ${formatDate(date)}`,
    `References: ${toOneLine(messageId)}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    '',
  ].join('\r\n');
  const start = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(head + start),
    ...(returned ? [Buffer.from(`--${boundary}\r\n${typeOf(returned)}\r\n\r\n`), returned.raw] : []),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function typeOf({ isWhole }: NonNullable<ComposedReport['returned']>): string {
  return `Content-Type: ${isWhole ? 'message/rfc822' : 'text/rfc822-headers'}\r\nContent-Transfer-Encoding: 8bit`;
}

function describe({ action, recipient, status, diagnostic, host }: ComposedReport): string {
  const lines = [SENTENCES[action], '', `  ${recipient}`, '', `Status: ${status}`];
  if (host) lines.push(`Server: ${oneLine(host)}`);
  if (diagnostic) lines.push(oneLine(diagnostic));
  return `${lines.join('\r\n')}\r\n`;
}

/** The fields of the message come first, then those of the recipient (RFC 3464 sections 2.2 and 2.3). */
function writeStatus(report: ComposedReport): string {
  const { reportingMta, envid, arrivedAt, recipient, orcpt, action, status, diagnostic, host } = report;
  const isAddressAscii = /^[!-~]+$/.test(recipient);
  const lines = [
    `Reporting-MTA: dns; ${reportingMta}`,
    ...(envid ? [`Original-Envelope-Id: ${decodeXtext(envid)}`] : []),
    `Arrival-Date: ${formatDate(arrivedAt)}`,
    '',
    ...(orcpt ? [`Original-Recipient: ${decodeXtext(orcpt)}`] : []),
    `Final-Recipient: ${isAddressAscii ? 'rfc822' : 'utf-8'}; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(host ? [`Remote-MTA: dns; ${oneLine(host)}`] : []),
    ...(diagnostic && /^\d{3} /.test(diagnostic) ? [`Diagnostic-Code: smtp; ${oneLine(diagnostic)}`] : []),
    ...(diagnostic && !/^\d{3} /.test(diagnostic)
      ? [`Diagnostic-Code: x-posthorn; ${oneLine(diagnostic)}`]
      : []),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** RFC 3461 section 4. Encoded control characters stay encoded. */
function decodeXtext(value: string): string {
  return value.replaceAll(/\+([2-7][0-9A-F])/g, (whole, hex: string) =>
    hex === '7F' ? whole : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function oneLine(text: string): string {
  return toOneLine(text).slice(0, MAX_LINE_LENGTH).toWellFormed();
}

/**
 * Parses messages that arrive at a return path: delivery reports (RFC 3464 and RFC 6533), complaints (RFC 5965),
 * automatic replies (RFC 3834) and others. A bounce in free text, as old servers send it, is "other": guessing
 * addresses from prose would suppress the wrong people. Nothing here throws. Only the start of a large message is
 * parsed, because the report precedes the returned message.
 */
import { parseBody, type MessageBody } from '../mime/parse/parse-body.ts';
import { findHeader, readAnyHeaders, readHeaders, type HeaderSection } from '../mime/parse/raw-headers.ts';

type BounceAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

export interface BouncedRecipient {
  /** The original address if the report has it, otherwise the final one. */
  recipient: string | null;
  action: BounceAction;
  /** RFC 3463, such as `5.1.1`. */
  status: string | null;
  /** The text of the rejecting server, without the type prefix. */
  diagnostic: string | null;
}

export type Report =
  | {
      kind: 'bounce';
      recipients: BouncedRecipient[];
      envelopeId: string | null;
      originalMessageId: string | null;
    }
  | {
      kind: 'complaint';
      /** `abuse`, `fraud`, `virus` or `other`. */
      feedbackType: string;
      originalRecipient: string | null;
      /** Our signed return path, if the report includes it. */
      originalMailFrom: string | null;
      originalMessageId: string | null;
    }
  | { kind: 'auto-reply' }
  | { kind: 'other' };

const MAX_BYTES = 256 * 1024;
const MAX_REPORT_LENGTH = 64 * 1024;
const MAX_RECIPIENTS = 100;
const MAX_VALUE_LENGTH = 1_000;

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];
const FEEDBACK_TYPES = ['message/feedback-report'];
const ORIGINAL_TYPES = [
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
];
const ACTION_OF_CLASS: Record<string, BounceAction> = { 2: 'delivered', 4: 'delayed', 5: 'failed' };
// Feedback that is not a complaint: not-spam reports and DMARC reports.
const NOT_COMPLAINTS = new Set(['not-spam', 'auth-failure', 'dmarc']);

interface Email extends Pick<MessageBody, 'attachments'> {
  section: HeaderSection;
}

export function readReport(raw: Buffer): Report {
  try {
    const start = raw.subarray(0, MAX_BYTES);
    const section = readAnyHeaders(start);
    const email = { section, attachments: parseBody(start, section).attachments };
    return readBounce(email) ?? readComplaint(email) ?? readAutoReply(email) ?? { kind: 'other' };
  } catch {
    return { kind: 'other' };
  }
}

function readBounce(email: Email): Report | null {
  const report = readPart(email, STATUS_TYPES);
  if (report === null) return null;
  const groups = readGroups(report);
  const recipients = groups.map(readRecipient).filter((recipient) => recipient !== null);
  if (recipients.length === 0) return null;
  return {
    kind: 'bounce',
    recipients: recipients.slice(0, MAX_RECIPIENTS),
    envelopeId: groups[0]?.get('original-envelope-id') ?? null,
    originalMessageId: readOriginalHeader(email, 'message-id') ?? readHeaderOf(email, 'in-reply-to'),
  };
}

function readRecipient(fields: Map<string, string>): BouncedRecipient | null {
  const address = fields.get('original-recipient') ?? fields.get('final-recipient');
  const text = fields.get('status') ?? '';
  const status = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(text)?.[0] ?? null;
  const action = readAction(fields.get('action')) ?? ACTION_OF_CLASS[status?.[0] ?? ''];
  if (action === undefined || (address === undefined && status === null)) return null;
  const diagnostic = fields.get('diagnostic-code');
  return {
    recipient: address === undefined ? null : withoutType(address).replaceAll(/^<|>$/g, '') || null,
    action,
    status,
    diagnostic: diagnostic === undefined ? null : withoutType(diagnostic) || null,
  };
}

function readAction(text: string | undefined): BounceAction | undefined {
  const word = /^[a-z]+/.exec((text ?? '').toLowerCase())?.[0];
  return (['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const).find(
    (action) => action === word,
  );
}

function readComplaint(email: Email): Report | null {
  const report = readPart(email, FEEDBACK_TYPES);
  const fields = report === null ? undefined : readGroups(report)[0];
  const feedbackType = fields?.get('feedback-type')?.toLowerCase();
  if (!fields || feedbackType === undefined || NOT_COMPLAINTS.has(feedbackType)) return null;
  const recipient = fields.get('original-rcpt-to') ?? fields.get('removal-recipient');
  return {
    kind: 'complaint',
    feedbackType,
    originalRecipient:
      recipient === undefined ? null : withoutType(recipient).replaceAll(/^<|>$/g, '') || null,
    originalMailFrom: fields.get('original-mail-from')?.replaceAll(/^<|>$/g, '') || null,
    originalMessageId: readOriginalHeader(email, 'message-id'),
  };
}

function readAutoReply(email: Email): Report | null {
  const submitted = readHeaderOf(email, 'auto-submitted')?.toLowerCase() ?? 'no';
  const isAutomatic =
    !submitted.startsWith('no') ||
    readHeaderOf(email, 'x-autoreply') !== null ||
    readHeaderOf(email, 'x-autorespond') !== null ||
    readHeaderOf(email, 'precedence')?.toLowerCase() === 'auto_reply';
  return isAutomatic ? { kind: 'auto-reply' } : null;
}

/**
 * Parses groups of fields that are separated by empty lines (RFC 3464 section 2.1). The first of duplicate
 * fields counts.
 */
function readGroups(text: string): Map<string, string>[] {
  const groups: Map<string, string>[] = [];
  for (const block of text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]+(?=[^ \t\n])/g, ' ')
    .split(/\n[ \t]*\n/)) {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
      const value = line
        .slice(colon + 1, colon + 1 + MAX_VALUE_LENGTH)
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim();
      if (name !== '' && value !== '' && !fields.has(name)) fields.set(name, value);
    }
    if (fields.size > 0) groups.push(fields);
    if (groups.length > MAX_RECIPIENTS) break;
  }
  return groups;
}

/** Removes the type prefix of `rfc822; ada@example.com` and `smtp; 550 …`. */
function withoutType(value: string): string {
  return value.replace(/^[A-Za-z0-9-]+\s*;\s*/, '');
}

function readPart(email: Email, types: string[]): string | null {
  const part = email.attachments.find(({ contentType }) => types.includes(contentType));
  return part ? part.content.toString('utf8', 0, MAX_REPORT_LENGTH) : null;
}

function readOriginalHeader(email: Email, name: string): string | null {
  const part = email.attachments.find(({ contentType }) => ORIGINAL_TYPES.includes(contentType));
  const section = part ? readHeaders(part.content) : null;
  const value = section ? findHeader(section, name)?.value : undefined;
  return value?.slice(0, MAX_VALUE_LENGTH) || null;
}

function readHeaderOf(email: Email, name: string): string | null {
  return findHeader(email.section, name)?.value.slice(0, MAX_VALUE_LENGTH) ?? null;
}

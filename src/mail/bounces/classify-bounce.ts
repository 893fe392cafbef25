/** Classifies a delivery report by the same rules as a direct SMTP reply. */
import type { BouncedRecipient } from './parse-report.ts';
import { classifyReply, parseReply, type ReplyClass, type SmtpReply } from '../smtp/reply.ts';

const CODE_OF_ACTION = { failed: 550, delayed: 450, delivered: 250, relayed: 250, expanded: 250 };

/**
 * The diagnostic text of the rejecting server takes precedence over the status that the reporter derived from it. A
 * policy code in either place, or a temporary code that became a failure over time, never suppresses the address.
 */
export function classifyBounce({ action, status, diagnostic }: BouncedRecipient): ReplyClass {
  const diagnosticReply = readDiagnostic(diagnostic ?? '');
  const diagnosticStatus = diagnosticReply?.enhanced ?? null;
  const isSpecific = diagnosticStatus !== null && !diagnosticStatus.endsWith('.0.0');
  const isPermanent = diagnosticReply !== null && diagnosticReply.code >= 500;
  const classified = classifyReply(
    {
      code: action === 'failed' && isPermanent ? diagnosticReply.code : CODE_OF_ACTION[action],
      enhanced: isSpecific ? diagnosticStatus : status,
      text: diagnosticReply?.text ?? diagnostic ?? '',
    },
    'rcpt',
  );
  return {
    outcome: action === 'failed' ? 'bounced' : classified.outcome,
    fault: classified.fault,
    // The server that we spoke to accepted the message, so a report is never about our session.
    scope: 'recipient',
    suppress:
      classified.suppress &&
      (diagnosticReply === null || isPermanent) &&
      ![status, diagnosticStatus].some((code) => code?.startsWith('5.7.') === true),
  };
}

/** Restores a multi-line reply that was unfolded, such as `550-5.1.1 No such 550 5.1.1 user`. */
function readDiagnostic(diagnostic: string): SmtpReply | null {
  const code = /^[245]\d\d(?=[ -])/.exec(diagnostic)?.[0];
  if (code === undefined) return null;
  const texts = diagnostic.split(new RegExp(`\\s(?=${code}[ -])`)).map((line) => line.slice(code.length + 1));
  return parseReply(texts.map((text, index) => `${code}${index === texts.length - 1 ? ' ' : '-'}${text}`));
}

/** A delivery report is judged by the rules for a server that says the same to our face. */
import type { BouncedRecipient } from './bounce.ts';
import { judgeReply, parseReply, type Judgement, type SmtpReply } from './smtp-reply.ts';

const CODE_OF_ACTION = { failed: 550, delayed: 450, delivered: 250, relayed: 250, expanded: 250 };

/**
 * The words of the server that refused count more than the status that the reporter made of them. A policy code in
 * either place, or a temporary code that became a failure by waiting, never suppresses.
 */
export function judgeBounce({ action, status, diagnostic }: BouncedRecipient): Judgement {
  const said = readDiagnostic(diagnostic ?? '');
  const saidCode = said?.enhanced ?? null;
  const isSpecific = saidCode !== null && !saidCode.endsWith('.0.0');
  const isPermanent = said !== null && said.code >= 500;
  const judged = judgeReply(
    {
      code: action === 'failed' && isPermanent ? said.code : CODE_OF_ACTION[action],
      enhanced: isSpecific ? saidCode : status,
      text: said?.text ?? diagnostic ?? '',
    },
    'rcpt',
  );
  return {
    outcome: action === 'failed' ? 'bounced' : judged.outcome,
    fault: judged.fault,
    // The server that we spoke to took the message: no report is about a session of ours.
    scope: 'recipient',
    suppress:
      judged.suppress &&
      (said === null || isPermanent) &&
      ![status, saidCode].some((code) => code?.startsWith('5.7.') === true),
  };
}

/** `550-5.1.1 No such 550 5.1.1 user`: a reply of several lines that was unfolded into one. */
function readDiagnostic(diagnostic: string): SmtpReply | null {
  const code = /^[245]\d\d(?=[ -])/.exec(diagnostic)?.[0];
  if (code === undefined) return null;
  const texts = diagnostic.split(new RegExp(`\\s(?=${code}[ -])`)).map((line) => line.slice(code.length + 1));
  return parseReply(texts.map((text, index) => `${code}${index === texts.length - 1 ? ' ' : '-'}${text}`));
}

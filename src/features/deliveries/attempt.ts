/** What an attempt to deliver comes to, as a value: it never throws for what the network or the other side did. */
import type { SendResult } from '../../mail/smtp-session.ts';
import type { SmtpFailure } from '../../mail/smtp-failure.ts';
import { judgeReply, type SmtpReply, type SmtpStage } from '../../mail/smtp-reply.ts';

export type Attempt = { transcript?: string[] } & (
  | { outcome: 'delivered'; reply: SmtpReply | null }
  | { outcome: 'deferred'; reply: SmtpReply | null; reason: string; wholeSession: boolean }
  | { outcome: 'bounced'; reply: SmtpReply | null; reason: string; suppress: boolean }
);

/** No attempt was made: the team does not write to this address any more. */
export interface Withheld {
  outcome: 'suppressed';
  reply: null;
  reason: string;
  transcript?: undefined;
}

/** Of a message with one recipient. */
export function attemptFrom(result: SendResult): Attempt {
  return { ...judge(result), transcript: result.transcript };
}

function judge(result: SendResult): Attempt {
  const { reply } = result.recipients[0]!;
  if (reply && reply.code >= 400) return fromRefusal(reply, 'rcpt');
  if (result.failure) return fromFailure(result.failure);
  return { outcome: 'delivered', reply: result.data };
}

export function fromFailure({ stage, reply, cause, temporary, wholeSession }: SmtpFailure): Attempt {
  if (reply && !wholeSession) return fromRefusal(reply, stage);
  if (temporary) return { outcome: 'deferred', reply, reason: cause, wholeSession };
  return { outcome: 'bounced', reply, reason: cause, suppress: false };
}

function fromRefusal(reply: SmtpReply, stage: SmtpStage): Attempt {
  const { outcome, scope, suppress } = judgeReply(reply, stage);
  const reason = reply.text;
  if (outcome === 'bounced') return { outcome, reply, reason, suppress };
  return { outcome: 'deferred', reply, reason, wholeSession: scope === 'session' };
}

/** As much of it as nobody else had a say in. */
export function withoutWords(attempt: Attempt | Withheld): Attempt | Withheld {
  const bare = { ...attempt, reply: null, transcript: undefined };
  if (bare.outcome === 'delivered') return bare;
  return { ...bare, reason: 'What the other server said could not be written down.' };
}

/** The result of a delivery attempt, as a value. Failures of the network or the remote server are not exceptions. */
import type { SendResult } from '../../../mail/smtp/session.ts';
import type { SmtpFailure } from '../../../mail/smtp/failure.ts';
import { classifyReply, type SmtpReply, type SmtpStage } from '../../../mail/smtp/reply.ts';

/** `host` is the server that was tried, `egress` the way out (EGRESS_<NAME>) if one was chosen. */
export type AttemptResult = { transcript?: string[]; host?: string | undefined; egress?: string } & (
  | {
      outcome: 'delivered';
      reply: SmtpReply | null;
      /** True if the next server reports about the delivery (RFC 3461). */
      isDsnPassedOn?: boolean;
      /** True if the message is in a mailbox of this instance. */
      isFinal?: boolean;
    }
  | {
      outcome: 'deferred';
      reply: SmtpReply | null;
      reason: string;
      wholeSession: boolean;
      /** Replaces the usual delay until the next attempt. */
      retryInMs?: number;
      /** See wasHeldBack. */
      isHeldBack?: boolean;
    }
  | {
      outcome: 'bounced';
      reply: SmtpReply | null;
      reason: string;
      suppress: boolean;
      /** The code of RFC 3463 if there was no reply. */
      enhanced?: string;
      /** True if the reason has nothing to do with the recipient. It is then not counted as a hard bounce. */
      isOwnFault?: boolean;
    }
);

/** No attempt was made: the team has suppressed the address, or someone has dropped the delivery. */
export interface NotAttempted {
  outcome: 'suppressed' | 'dropped';
  reply: null;
  reason: string;
  transcript?: undefined;
  host?: undefined;
  egress?: undefined;
}

/** True if a limit of this server put the message off, so that no attempt was made. */
export function wasHeldBack(attempt: AttemptResult | NotAttempted): boolean {
  return attempt.outcome === 'deferred' && attempt.isHeldBack === true;
}

/** Expects a message with one recipient. */
export function attemptFrom(result: SendResult, host: string): AttemptResult {
  const attempt = classifyResult(result);
  attempt.host = host;
  attempt.transcript = result.transcript;
  return attempt;
}

function classifyResult(result: SendResult): AttemptResult {
  const { reply } = result.recipients[0]!;
  if (reply && reply.code >= 400) return fromRefusal(reply, 'rcpt');
  if (result.failure) return fromFailure(result.failure);
  return { outcome: 'delivered', reply: result.data, isDsnPassedOn: result.isDsnPassedOn };
}

export function fromFailure(failure: SmtpFailure): AttemptResult {
  const { stage, reply, cause, temporary, wholeSession, host, enhanced } = failure;
  if (reply && !wholeSession) return { ...fromRefusal(reply, stage), host };
  if (temporary) return { outcome: 'deferred', reply, reason: cause, wholeSession, host };
  const bounce = { outcome: 'bounced' as const, reply, reason: cause, suppress: false, host };
  return enhanced === undefined ? bounce : { ...bounce, enhanced };
}

function fromRefusal(reply: SmtpReply, stage: SmtpStage): AttemptResult {
  const { outcome, scope, suppress } = classifyReply(reply, stage);
  const reason = reply.text;
  if (outcome === 'bounced') return { outcome, reply, reason, suppress };
  return { outcome: 'deferred', reply, reason, wholeSession: scope === 'session' };
}

/** Removes all text from the remote server, in case the database rejects that text. */
export function withoutReplyText(attempt: AttemptResult | NotAttempted): AttemptResult | NotAttempted {
  const bare = { ...attempt, reply: null, transcript: undefined };
  if (bare.outcome === 'delivered') return bare;
  return { ...bare, reason: 'The reply of the receiving server could not be recorded.' };
}

/** What went wrong between us and a mail server, as a value: nothing in the SMTP client throws for the network. */
import { judgeReply, type SmtpReply, type SmtpStage } from './smtp-reply.ts';

export interface SmtpFailure {
  stage: SmtpStage;
  /** What the server said, where it said something. */
  reply: SmtpReply | null;
  cause: string;
  /** The same message may get through later. */
  temporary: boolean;
  /** It is about this server or this connection, not about this message: others would have met it too. */
  wholeSession: boolean;
}

/** The server refused. */
export function refusedAt(stage: SmtpStage, reply: SmtpReply): SmtpFailure {
  const { outcome, scope } = judgeReply(reply, stage);
  return {
    stage,
    reply,
    cause: describeReply(reply),
    temporary: outcome !== 'bounced',
    wholeSession: scope === 'session',
  };
}

/** The connection failed, or is no longer fit for use. */
export function brokenAt(stage: SmtpStage, cause: string, reply: SmtpReply | null = null): SmtpFailure {
  return { stage, reply, cause, temporary: true, wholeSession: true };
}

/** This message can never go through this server; it was not asked. */
export function unfitAt(stage: SmtpStage, cause: string): SmtpFailure {
  return { stage, reply: null, cause, temporary: false, wholeSession: false };
}

export function describeReply(reply: SmtpReply): string {
  return [reply.code, reply.enhanced, reply.text].filter((part) => part !== null && part !== '').join(' ');
}

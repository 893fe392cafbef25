/** A failure between us and a mail server, as a value. The SMTP client never throws for network errors. */
import { classifyReply, type SmtpReply, type SmtpStage } from './reply.ts';

export interface SmtpFailure {
  stage: SmtpStage;
  /** The reply of the server, if there was one. */
  reply: SmtpReply | null;
  cause: string;
  /** The name or address of the server, once one was tried. */
  host?: string;
  /** True when the same message may succeed later. */
  temporary: boolean;
  /** True when the failure concerns the server or connection, so that other messages would fail too. */
  wholeSession: boolean;
  /** The code of RFC 3463 for a failure without a reply. */
  enhanced?: string;
  /** Why the encryption failed: the code of the error, or NO_STARTTLS. */
  tlsCode?: string | undefined;
}

/** The server does not offer encryption. */
export const NO_STARTTLS = 'NO_STARTTLS';

export function refusedAt(stage: SmtpStage, reply: SmtpReply): SmtpFailure {
  const { outcome, scope } = classifyReply(reply, stage);
  return {
    stage,
    reply,
    cause: describeReply(reply),
    temporary: outcome !== 'bounced',
    wholeSession: scope === 'session',
  };
}

/** The connection failed or can no longer be used. */
export function connectionFailure(
  stage: SmtpStage,
  cause: string,
  reply: SmtpReply | null = null,
): SmtpFailure {
  return { stage, reply, cause, temporary: true, wholeSession: true };
}

/** The message can never be sent to this server, so it was not attempted. */
export function refusedLocally(stage: SmtpStage, cause: string, enhanced?: string): SmtpFailure {
  const failure = { stage, reply: null, cause, temporary: false, wholeSession: false };
  return enhanced === undefined ? failure : { ...failure, enhanced };
}

export function describeReply(reply: SmtpReply): string {
  return [reply.code, reply.enhanced, reply.text].filter((part) => part !== null && part !== '').join(' ');
}

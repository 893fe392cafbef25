/**
 * Logins of the submission ports: an application with an API key, or an email app with the app password of a mailbox.
 */
import type { SMTPServerAuthentication, SMTPServerSession } from 'smtp-server';
import { maySend } from '../features/api/bound-keys.ts';
import type { Caller } from '../features/api/caller.ts';
import type { ApiKeyCache } from '../features/identity/api-keys/api-key-cache.ts';
import { reachesLevel } from '../features/api/mailbox-access.ts';
import type { AppPasswordCache, MailLogin } from '../features/identity/app-passwords/app-password-cache.ts';
import { readAppPassword } from '../features/identity/app-passwords/app-passwords.ts';
import { AppError } from '../platform/errors.ts';
import { isLocalNetwork } from '../platform/network/local-address.ts';
import type { Log } from '../platform/log.ts';
import { closingReply, reply } from './protocol/error-reply.ts';

/** The authenticated sender of a message. */
export type SubmissionSender =
  { kind: 'key'; teamId: number; caller: Caller } | { kind: 'mailbox'; teamId: number; mailbox: MailLogin };

/** The credentials of the session. They are checked again for each message. */
type Login = { kind: 'key' | 'app-password'; secret: string };

export interface SubmissionLogin {
  /** Throws the reply if the login fails. */
  authenticate(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<{ user: Login }>;
  /** Called for each message, because the key or password may be revoked during a session. */
  identify(session: SMTPServerSession): Promise<SubmissionSender>;
}

const MAX_FAILED_LOGINS = 3;

export function createSubmissionLogin(
  { apiKeys, appPasswords }: { apiKeys: ApiKeyCache; appPasswords: AppPasswordCache },
  log: Log,
): SubmissionLogin {
  const failedLogins = new WeakMap<SMTPServerSession, number>();

  return {
    async authenticate(auth, session) {
      const [user, secret] = [auth.username ?? '', auth.password ?? ''];
      const kind = readAppPassword(secret) === null ? 'key' : 'app-password';
      // A secret must not cross a public network without encryption.
      if (!session.secure && !isLocalNetwork(session.remoteAddress))
        throw reply('538 5.7.11', 'STARTTLS is required before you log in.');
      const check =
        kind === 'key'
          ? identifyKey(apiKeys, secret, session)
          : appPasswords.logIn(user, secret, session.remoteAddress);
      const found = await check.catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'RATE_LIMITED') throw closingReply(error.message);
        log.error({ err: error }, 'smtp: logins cannot be checked');
        throw reply('454 4.7.0', 'The login cannot be checked right now. Try again in a moment.');
      });
      if (found) return { user: { kind, secret } };
      const failed = (failedLogins.get(session) ?? 0) + 1;
      failedLogins.set(session, failed);
      if (failed >= MAX_FAILED_LOGINS) throw closingReply('Too many failed logins');
      throw wrong(kind);
    },

    async identify(session) {
      const { kind, secret } = session.user as Login;
      if (kind === 'key') {
        const caller = await identifyKey(apiKeys, secret, session);
        if (!caller) throw wrong(kind);
        if (Array.isArray(caller.mailboxIds))
          throw reply('550 5.7.1', 'This API key is limited to mailboxes and cannot send by SMTP');
        return { kind: 'key', teamId: caller.teamId, caller };
      }
      const mailbox = await appPasswords.identify(secret, session.remoteAddress);
      if (!mailbox) throw wrong(kind);
      if (!reachesLevel(mailbox.access, 'reply'))
        throw reply('550 5.7.1', 'You are not allowed to send from this mailbox');
      return { kind: 'mailbox', teamId: mailbox.teamId, mailbox };
    },
  };
}

/** Null also for a key that may not send, or not from this address. */
async function identifyKey(
  apiKeys: ApiKeyCache,
  secret: string,
  session: SMTPServerSession,
): Promise<Caller | null> {
  const caller = await apiKeys.identify(secret, session.remoteAddress).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'FORBIDDEN') return null;
    throw error;
  });
  return caller && maySend(caller) ? caller : null;
}

function wrong(kind: Login['kind']): Error {
  const what =
    kind === 'key'
      ? 'The API key is invalid, revoked or expired, or may not send email from here'
      : 'The address or the app password is wrong, or the app password was revoked';
  return reply('535 5.7.8', what);
}

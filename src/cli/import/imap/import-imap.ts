/** `posthorn import imap`: copies the mail of another IMAP server into a mailbox. */
import { openTeamStorage } from '../../../features/account/storage/team-storage.ts';
import { createLog } from '../../../platform/log.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../../config.ts';
import { requireTeam } from '../../../features/account/teams/teams.ts';
import { findMailboxByAddress } from '../../../features/mailboxes/mailboxes/find-mailbox.ts';
import { MAIL_CHANNEL } from '../../../features/events/live-updates.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { createHint } from '../../../platform/database/notifications.ts';
import { createProgress } from '../../progress.ts';
import { readOptions, requireOption, requireTeamId } from '../../usage.ts';
import { withInstance } from '../../with-instance.ts';
import { importMail, type MailImport } from './import-mail.ts';
import { createMailReport } from './mail-report.ts';
import { readPassword } from './read-password.ts';
import {
  connectToSource,
  hasLostConnection,
  readSourceUrl,
  toSourceError,
  type SourceServer,
} from './source-server.ts';

const OPTIONS = ['team', 'mailbox', 'url', 'user', 'password-file'] as const;
const FLAGS = ['dry-run'] as const;
const MIB = 1024 * 1024;
const RECONNECT_MS = 1_000;

export async function importImap(args: string[], config: Config): Promise<void> {
  const { options, flags } = readOptions(args, OPTIONS, { flags: FLAGS });
  const teamId = requireTeamId(options.team);
  const address = requireOption(options.mailbox, 'mailbox');
  const url = readSourceUrl(requireOption(options.url, 'url'));
  const user = requireOption(options.user, 'user');
  const password = await readPassword(options['password-file'], config.importImapPassword);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await withInstance(config, async ({ db, pool, disk }) => {
      await requireTeam(db, teamId);
      const mailbox = await findMailboxByAddress(db, teamId, address);
      if (!mailbox) throw notFound('Mailbox');
      const isDry = flags['dry-run'] ?? false;
      const report = createMailReport();
      const storage = openTeamStorage(db, config.teamStorageMb, createLog('error'));
      const hintMail = createHint(pool, MAIL_CHANNEL, () => {});
      const progress = createProgress(report.progress);
      const work: MailImport = {
        db,
        mailbox,
        maxMessageBytes: config.inboundMaxMessageMb * MIB,
        disk,
        storage,
        isDry,
        report,
        signal: stopping.signal,
        onProgress() {
          hintMail();
          progress.show();
        },
      };
      try {
        await importWithRetries({ ...url, user, password }, work);
      } finally {
        await storage.close();
        progress.end();
      }
      console.log(report.format({ isDry }));
      if (isDry) console.log('\nThis was a dry run. Nothing was changed.');
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** Reconnects as long as every connection makes progress. Providers limit how much one connection may read. */
async function importWithRetries(server: SourceServer, work: MailImport): Promise<void> {
  const { report, signal } = work;
  for (;;) {
    const before = report.imported();
    const client = await connectToSource(server, work.maxMessageBytes);
    const disconnect = () => client.close();
    signal.addEventListener('abort', disconnect);
    try {
      await importMail(client, work);
      await client.logout().catch(() => {});
      return;
    } catch (error) {
      if (signal.aborted)
        throw new AppError('UNAVAILABLE', 'Interrupted. Run the same command again to continue.');
      if (!hasLostConnection(error) || report.imported() === before) throw toSourceError(error, server);
      await wait(RECONNECT_MS);
    } finally {
      signal.removeEventListener('abort', disconnect);
      client.close();
    }
  }
}

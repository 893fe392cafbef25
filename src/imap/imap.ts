/** Opens the IMAP ports: with STARTTLS, and with TLS from the first byte. */
import { createMailboxWatcher } from '../features/mailboxes/email-apps/mailbox-watcher.ts';
import type { Certificate } from '../platform/certificates/certificate.ts';
import { createAccountLimits } from './session/account-limits.ts';
import { createImapMetrics } from './session/imap-metrics.ts';
import { openImapServer, type ImapServer } from './server.ts';
import type { ImapTools } from './session/session.ts';

export interface ImapDoor {
  /** Null if the default port was in use. */
  imapPort: number | null;
  imapsPort: number | null;
  close(graceMs: number): Promise<void>;
}

export interface ImapDoorOptions extends Omit<ImapTools, 'watcher' | 'limits' | 'metrics'> {
  certificate(): Certificate;
  host: string;
  /** Null for the default port. Another process may use that port. */
  imapPort: number | null;
  imapsPort: number | null;
}

const DEFAULT_IMAP_PORT = 2143;
const DEFAULT_IMAPS_PORT = 2993;

export async function openImapDoor(options: ImapDoorOptions): Promise<ImapDoor> {
  const { db, facts, log, errors, certificate, host } = options;
  const watcher = createMailboxWatcher(db, facts.onMailHint, (error) => errors.report('imap', error));
  const tools: ImapTools = {
    ...options,
    watcher,
    limits: createAccountLimits(facts.inboundLimits.connectionsPerIp),
    metrics: createImapMetrics(facts.metrics),
  };
  const opened: ImapServer[] = [];

  async function open(
    setting: string,
    given: number | null,
    byDefault: number,
    isTls: boolean,
  ): Promise<number | null> {
    try {
      const server = await openImapServer(
        { host, port: given ?? byDefault, setting, isTls, certificate },
        tools,
      );
      opened.push(server);
      return server.port;
    } catch (error) {
      if (given !== null || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      log.warn(`${(error as Error).message}. The server starts without it. Set ${setting} to another port.`);
      return null;
    }
  }

  async function close(graceMs: number): Promise<void> {
    await Promise.all(opened.map((server) => server.close(graceMs)));
    watcher.close();
  }

  try {
    const imapPort = await open('IMAP_PORT', options.imapPort, DEFAULT_IMAP_PORT, false);
    const imapsPort = await open('IMAPS_PORT', options.imapsPort, DEFAULT_IMAPS_PORT, true);
    return { imapPort, imapsPort, close };
  } catch (error) {
    await close(1_000);
    throw error;
  }
}

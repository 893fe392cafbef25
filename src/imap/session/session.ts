/** The state of a connected email app, and the ways in which a command can fail. */
import type {
  AppPasswordCache,
  MailLogin,
} from '../../features/identity/app-passwords/app-password-cache.ts';
import type { Facts } from '../../features/instance/facts.ts';
import type { WholeMessage } from '../../features/mailboxes/email-apps/whole-messages.ts';
import type { MailboxWatcher } from '../../features/mailboxes/email-apps/mailbox-watcher.ts';
import type { RawCommand } from '../../mail/imap/command-reader.ts';
import type { CommandCursor } from '../../mail/imap/command-cursor.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import type { UnexpectedErrors } from '../../platform/telemetry/unexpected-errors.ts';
import type { DiskSpace } from '../../platform/disk-space.ts';
import type { AccountLimits } from './account-limits.ts';
import type { ImapMetrics } from './imap-metrics.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { SelectedFolder } from './selected-folder.ts';

export interface ImapTools {
  db: Db;
  log: Log;
  /** The log with one line for each login. */
  mailLog: Log;
  errors: UnexpectedErrors;
  appPasswords: AppPasswordCache;
  facts: Facts;
  memory: MemoryBudget;
  disk: DiskSpace;
  watcher: MailboxWatcher;
  limits: AccountLimits;
  metrics: ImapMetrics;
}

/** The extensions that a client must turn on. */
export type Enabled = 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT' | 'IMAP4REV2';

/** The parts of the connection that commands may use. */
interface Wire {
  readonly ip: string;
  readonly isSecure: boolean;
  readonly isCompressed: boolean;
  readonly isClosing: boolean;
  readonly hasPending: boolean;
  readonly waitingBytes: number;
  readonly chunks: number;
  isAuthenticated: boolean;
  readCommand(): Promise<RawCommand | null>;
  startTls(): Promise<boolean>;
  startCompression(): Promise<void>;
  bye(message: string): Promise<void>;
}

/** Messages that were read for waiting commands (read-whole.ts). */
interface MessagesAhead {
  selected: SelectedFolder;
  /** The value of `wire.chunks` when they were read. */
  chunks: number;
  byUid: Map<number, WholeMessage>;
  /** The last UID that the client has requested. */
  lastUid: number;
}

export interface Session {
  tools: ImapTools;
  wire: Wire;
  out: ResponseWriter;
  login: MailLogin | null;
  selected: SelectedFolder | null;
  enabled: Set<Enabled>;
  failedLogins: number;
  /** The UIDs that the last SEARCH with SAVE found. */
  savedSearch: number[];
  /** Null while no commands are waiting, and after each command that may have changed the messages. */
  ahead: MessagesAhead | null;
  /** The change number of the mailbox, if the running command has read it. */
  changeNumber: number | null;
  /** The time at which changes were last read. */
  reportedMs: number;
  /** Called when the session ends. */
  onEnd: (() => void)[];
}

/** A session whose client has logged in. */
export type UserSession = Session & { login: MailLogin };
/** A session with an open folder. */
export type FolderSession = UserSession & { selected: SelectedFolder };

export interface CommandInput {
  tag: string;
  /** The arguments, from the first space on. */
  cursor: CommandCursor;
  /** True if the command was preceded by UID. */
  isUid: boolean;
}

/** The text of the tagged OK, or nothing for the default. */
export type CommandResult = Promise<string | void>;

/** Rejects the command with a tagged NO. `code` is a response code without its brackets. */
export class Refusal extends Error {
  readonly code: string | null;

  constructor(code: string | null, message: string) {
    super(message);
    this.code = code;
  }
}

export function isUtf8({ enabled }: Session): boolean {
  return enabled.has('UTF8=ACCEPT') || enabled.has('IMAP4REV2');
}

/**
 * Any use of change numbers by a client enables them (RFC 7162 section 3.1). The client gets the latest one of the
 * open folder.
 */
export function enableCondstore(session: Session): void {
  if (session.enabled.has('CONDSTORE')) return;
  session.enabled.add('CONDSTORE');
  const { selected, out } = session;
  if (selected) out.line(`* OK [HIGHESTMODSEQ ${selected.modseq}] Latest change`);
}

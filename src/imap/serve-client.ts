/** Runs the commands of one client, one after the other, until it disconnects. */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { requireLevel } from '../features/api/mailbox-access.ts';
import { toAppError } from '../platform/database/database-errors.ts';
import { lookUpError, needsLogging, type ErrorTable } from '../platform/errors.ts';
import { BadCommand, CommandCursor } from '../mail/imap/command-cursor.ts';
import type { RawCommand } from '../mail/imap/command-reader.ts';
import { toBytes } from '../mail/imap/write-values.ts';
import { COMMANDS, type Command } from './commands.ts';
import { capabilitiesOf, hasFailedTooOften } from './commands/login.ts';
import type { Connection } from './connection.ts';
import { reportChanges } from './messages/report-changes.ts';
import {
  Refusal,
  type CommandInput,
  type FolderSession,
  type ImapTools,
  type Session,
  type UserSession,
} from './session/session.ts';

/** After this many commands of one client, other clients get their turn. */
const COMMANDS_IN_A_ROW = 20;
const MAX_BAD_COMMANDS = 50;
/** The interval of reports while a client has sent further commands. */
const REPORT_MS = 500;

export async function serveClient(connection: Connection, tools: ImapTools): Promise<void> {
  const session: Session = {
    tools,
    wire: connection,
    out: connection.out,
    login: null,
    selected: null,
    enabled: new Set(),
    failedLogins: 0,
    savedSearch: [],
    ahead: null,
    changeNumber: null,
    reportedMs: 0,
    onEnd: [],
  };
  try {
    connection.out.line(`* OK [CAPABILITY ${capabilitiesOf(session)}] Posthorn is ready`);
    let bad = 0;
    for (let count = 1; !connection.isClosing; count += 1) {
      if (!connection.hasPending) session.ahead = null;
      const raw = await connection.readCommand();
      if (!raw) return;
      const outcome = await runCommand(session, connection, raw);
      if (outcome === 'bad' && (bad += 1) >= MAX_BAD_COMMANDS) return await connection.bye('Too many errors');
      if (hasFailedTooOften(session)) return await connection.bye('Too many failed logins');
      if (outcome === 'end') return await connection.close();
      if (count % COMMANDS_IN_A_ROW === 0) await yieldEventLoop();
    }
  } finally {
    for (const end of session.onEnd) end();
  }
}

type CommandOutcome = 'done' | 'bad' | 'end';

async function runCommand(
  session: Session,
  connection: Connection,
  raw: RawCommand,
): Promise<CommandOutcome> {
  const cursor = new CommandCursor(raw);
  let tag = '*';
  let name = 'OTHER';
  const startedMs = performance.now();
  try {
    tag = cursor.tag();
    const { command, input, shownName } = readName(cursor, tag);
    name = shownName;
    requireState(session, command);
    session.changeNumber = null;
    // Other commands may change the messages that were read ahead.
    if (command !== COMMANDS.FETCH) session.ahead = null;
    const text = await (command.run as (session: Session, input: CommandInput) => Promise<string | void>)(
      session,
      input,
    );
    await reportAtEnd(session, command, input.isUid);
    session.out.line(`${tag} OK ${text ?? `${name} completed`}`);
    session.tools.metrics.observe(name, 'OK', name === 'IDLE' ? 0 : (performance.now() - startedMs) / 1000);
    if (name === 'LOGOUT') return 'end';
    if (name === 'STARTTLS' && !(await connection.startTls())) return 'end';
    if (name === 'COMPRESS') await connection.startCompression();
    return 'done';
  } catch (error) {
    const isBad = error instanceof BadCommand;
    session.tools.metrics.observe(name, isBad ? 'BAD' : 'NO', (performance.now() - startedMs) / 1000);
    session.out.line(`${tag} ${describe(session, error)}`);
    return isBad ? 'bad' : 'done';
  } finally {
    if (connection.hasPending) await session.out.flushSoon();
    else await session.out.flush();
  }
}

function readName(
  cursor: CommandCursor,
  tag: string,
): { command: Command; input: CommandInput; shownName: string } {
  cursor.space();
  let name = cursor.atom().toUpperCase();
  const isUid = name === 'UID';
  if (isUid) {
    cursor.space();
    name = cursor.atom().toUpperCase();
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command || (isUid && !command.hasUid)) throw new BadCommand('Unknown command');
  return { command, input: { tag, cursor, isUid }, shownName: isUid ? `UID ${name}` : name };
}

function requireState(session: Session, { state, needs }: Command): void {
  if (state === 'not-authenticated' && session.login) throw new BadCommand('You are already logged in');
  if ((state === 'authenticated' || state === 'selected') && !session.login)
    throw new BadCommand('Log in first');
  if (state === 'selected' && !session.selected) throw new BadCommand('Open a folder first');
  if (needs && session.login) requireLevel(session.login.access, needs);
}

async function reportAtEnd(session: Session, { reports = 'all' }: Command, isUid: boolean): Promise<void> {
  if (!session.selected || !session.login || reports === 'nothing') return;
  // FETCH and SEARCH need not report changes. The last of several waiting commands does.
  const isSoon = session.wire.hasPending && performance.now() - session.reportedMs < REPORT_MS;
  if (reports === 'no-expunge' && isSoon) return;
  const allowExpunge = reports === 'all' || isUid;
  await reportChanges(session as UserSession as FolderSession, { allowExpunge });
}

/** RFC 5530 section 3, RFC 9208 section 4.1 and RFC 7889. */
const CODES: ErrorTable<string> = {
  codes: {
    BAD_REQUEST: 'CANNOT',
    UNAUTHORIZED: 'CANNOT',
    NOT_FOUND: 'NONEXISTENT',
    METHOD_NOT_ALLOWED: 'CANNOT',
    CONFLICT: 'CANNOT',
    already_sent: 'CANNOT',
    THREAD_CHANGED: 'CANNOT',
    FORBIDDEN: 'NOPERM',
    TOO_LARGE: 'TOOBIG',
    IDEMPOTENCY_MISMATCH: 'CANNOT',
    RATE_LIMITED: 'LIMIT',
    NOT_IMPLEMENTED: 'CANNOT',
    UNAVAILABLE: 'UNAVAILABLE',
    INTERNAL: 'SERVERBUG',
  },
  reasons: {
    'unverified-sender': null,
    'sender-of-another-domain': null,
    'invalid-json': null,
    'inactive-recipients': null,
    'request-in-progress': null,
    'invalid-idempotency-key': null,
    'folder-exists': 'ALREADYEXISTS',
    'over-quota': 'OVERQUOTA',
    'no-such-email': null,
    'no-such-template': null,
    'no-such-bounce': null,
    'blocked-by-policy': null,
  },
};

function describe({ tools }: Session, error: unknown): string {
  if (error instanceof BadCommand) return `BAD ${toBytes(error.message)}`;
  if (error instanceof Refusal) return `NO ${error.code ? `[${error.code}] ` : ''}${toBytes(error.message)}`;
  const known = toAppError(error);
  if (needsLogging(known)) tools.log.error({ err: error }, 'imap: command failed');
  return `NO [${lookUpError(CODES, known)}] ${toBytes(known.message.replaceAll(/[\r\n]/g, ' '))}`;
}

import { ListenError } from '../platform/network/listen.ts';

/**
 * Joins the messages of an error and all its causes. The result is only for operators, because it has internal
 * details.
 */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) messages.push(messageOf(at));
  return messages.length > 0 ? messages.join(': ') : String(error);
}

/** When a host has two addresses and both refuse the connection, Node.js throws an AggregateError without a message. */
function messageOf(error: Error): string {
  if (error.message) return error.message;
  if (!(error instanceof AggregateError)) return error.name;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join(', ');
}

export const OWN_THE_DATABASE =
  'Make the user in DATABASE_URL the owner of the database: ALTER DATABASE … OWNER TO …';
const ADVICE: Record<string, string> = {
  EACCES: 'Permission denied. Check that this user can write to DATA_DIR and read the TLS files.',
  EROFS: 'The disk is mounted read-only. Set DATA_DIR to a folder that can be written.',
  ENOTDIR: 'DATA_DIR is not a folder. Set it to one, or to a name that does not exist yet.',
  ENOSPC: 'The disk is full. Free some space on it.',
  ECONNREFUSED: 'The database server does not respond. Start it, or correct DATABASE_URL.',
  ENOTFOUND: 'The host was not found. Correct DATABASE_URL.',
  // SQLSTATE codes of PostgreSQL.
  '28P01':
    'Correct the user or password in DATABASE_URL. Special characters must be percent-encoded, for example @ as %40.',
  '3D000': 'Create the database with the encoding UTF8 and make the user its owner, or correct DATABASE_URL.',
  '42501': OWN_THE_DATABASE,
  '53300': 'Raise max_connections in PostgreSQL, or lower DATABASE_CONNECTIONS.',
};

/** What to do when a port cannot be opened. */
function adviseAboutPort({ code, setting }: ListenError): string {
  if (code === 'EADDRINUSE') return `Stop the program that uses the port, or set ${setting} to another port.`;
  if (code === 'EADDRNOTAVAIL') return 'Set HOST and SMTP_HOST to addresses of this machine.';
  if (code === 'EACCES')
    return `Set ${setting} to a port over 1023, or allow this user to open it (docs/operating.md).`;
  return '';
}

/** Returns advice for an error that no command handles itself. Our own errors are sentences that need none. */
export function suggestFix(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ListenError) return adviseAboutPort(at);
    const advice = ADVICE[(at as NodeJS.ErrnoException).code ?? ''];
    if (advice) return advice;
  }
  if (error instanceof Error && error.message.endsWith('.')) return '';
  return 'Run `npx posthorn doctor` to check the settings, ports, database and disk.';
}

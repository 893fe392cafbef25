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

const LISTENING = 'change PORT, SMTP_PORT or SUBMISSION_PORT';
export const OWN_THE_DATABASE =
  'Make the user in DATABASE_URL the owner of the database: ALTER DATABASE … OWNER TO …';
const ADVICE: Record<string, string> = {
  EADDRINUSE: `Another program is already using this port. Stop it, or ${LISTENING}.`,
  EADDRNOTAVAIL:
    'This machine does not have that address. Set HOST and SMTP_HOST to addresses of this machine.',
  EACCES: `Permission denied. Check that this user can write to DATA_DIR and read the TLS files, or ${LISTENING}.`,
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

/** Returns advice for an error that no command handles itself. Our own errors are sentences that need none. */
export function suggestFix(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const advice = ADVICE[(at as NodeJS.ErrnoException).code ?? ''];
    if (advice) return advice;
  }
  if (error instanceof Error && error.message.endsWith('.')) return '';
  return 'Run `npx posthorn doctor` to check the settings, ports, database and disk.';
}

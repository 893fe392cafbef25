/** The whole chain of causes in words: an operator may see what a stranger may not. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) messages.push(ownWords(at));
  return messages.length > 0 ? messages.join(': ') : String(error);
}

/** A name with two addresses that both refuse makes an error without a word of its own. */
function ownWords(error: Error): string {
  if (error.message) return error.message;
  if (!(error instanceof AggregateError)) return error.name;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join(', ');
}

const LISTENING = 'set another PORT, SMTP_PORT or SUBMISSION_PORT';
export const OWN_THE_DATABASE = 'Let the user of DATABASE_URL own the database: ALTER DATABASE … OWNER TO …';
const ADVICE: Record<string, string> = {
  EADDRINUSE: `Another program listens there already: stop it, or ${LISTENING}.`,
  EADDRNOTAVAIL: 'This machine has no such address: HOST and SMTP_HOST must be addresses of its own.',
  EACCES: `The system does not allow it: ${LISTENING}, a DATA_DIR that this user may write to, or TLS files that he may read.`,
  ECONNREFUSED: 'Nothing answers there: start the database, or correct DATABASE_URL.',
  ENOTFOUND: 'There is no such host: correct DATABASE_URL.',
  // Of PostgreSQL itself.
  '28P01': 'Correct the user or the password in DATABASE_URL (odd characters of it are written as %40).',
  '3D000': 'Make it, with the encoding UTF8 and its user as the owner, or correct DATABASE_URL.',
  '42501': OWN_THE_DATABASE,
  '53300': 'Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS.',
};

/** What to do about an error that no command has words of its own for. */
export function adviseOn(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const advice = ADVICE[(at as NodeJS.ErrnoException).code ?? ''];
    if (advice) return advice;
  }
  return '`npx posthorn doctor` looks at the settings, the ports, the database and the disk.';
}

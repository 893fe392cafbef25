/**
 * Explains errors that come from a low limit of open files. Node.js may then fail to load a file and report a missing
 * package.
 */
const FEWEST = 1_024;
const CODES = new Set(['EMFILE', 'ENFILE', 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
/** The message of the embedded PostgreSQL. */
const POSTGRES_MESSAGE = 'insufficient file descriptors';

/** Returns null if the error has another cause. */
export function explainFileLimit(error: unknown): string | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!CODES.has((at as NodeJS.ErrnoException).code ?? '') && !at.message.includes(POSTGRES_MESSAGE))
      continue;
    const limit = readFileLimit();
    if (limit === null || limit >= FEWEST) return null;
    return (
      `This process can open only ${limit} files and connections. Posthorn needs at least ${FEWEST}.\n` +
      'Raise the limit: `ulimit -n 65536` in the shell, LimitNOFILE=65536 in systemd, `ulimits: { nofile: 65536 }` in compose.'
    );
  }
  return null;
}

function readFileLimit(): number | null {
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}

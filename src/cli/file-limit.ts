/**
 * How many files and connections this process may have open. Where they are too few, Node.js cannot load the program, and
 * may say that a package is missing.
 */
const FEWEST = 1_024;
const CODES = new Set(['EMFILE', 'ENFILE', 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
/** What the embedded PostgreSQL says. */
const WORDS = 'insufficient file descriptors';

/** In words, where an error comes from that limit; else null. */
export function explainFileLimit(error: unknown): string | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!CODES.has((at as NodeJS.ErrnoException).code ?? '') && !at.message.includes(WORDS)) continue;
    const limit = readFileLimit();
    if (limit === null || limit >= FEWEST) return null;
    return (
      `This process may have only ${limit} files and connections open, and Posthorn needs ${FEWEST} or more.\n` +
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

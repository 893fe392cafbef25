/** Shows the progress of long commands, and tables of their results. */

const LINE_EVERY_MS = 10_000;
const TERMINAL_EVERY_MS = 500;

/**
 * Shows the progress on standard error: on a terminal as one line that changes, otherwise as a line every few seconds.
 */
export function createProgress(describe: () => string): { show(): void; end(): void } {
  const isTerminal = process.stderr.isTTY;
  let shownAt = Date.now();
  let isShown = false;
  return {
    show() {
      const now = Date.now();
      if (now - shownAt < (isTerminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = now;
      isShown = true;
      process.stderr.write(isTerminal ? `\r\x1b[K${describe()}` : `${describe()}\n`);
    },
    end() {
      if (isShown && isTerminal) process.stderr.write('\r\x1b[K');
    },
  };
}

/** The first column is text, the others are numbers. */
export function formatTable(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text from outside must not control the terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

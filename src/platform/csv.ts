/** CSV files (RFC 4180) that are streamed page by page. */
import { createTeamQueue } from './team-queue.ts';

/** Limits concurrent export statements, so that exports leave the database free for others. */
export const exportQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });

export function writeCsvRow(cells: string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** Also quotes cells with outer spaces, which an import would trim, and cells with any delimiter that it may detect. */
function writeCell(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Keeps a spreadsheet from running a cell as a formula, by an apostrophe in front. It changes the cell, so it is not for
 * files that are imported again.
 */
export function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

/** CSV files (RFC 4180) that are streamed page by page. */
import { createTeamQueue } from './concurrency/team-queue.ts';

/** Limits concurrent export statements, so that exports leave the database free for others. */
export const exportQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });

export function writeCsvRow(cells: string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** Also quotes cells with outer spaces, which an import would trim, and cells with any delimiter that it may detect. */
function writeCell(cell: string): string {
  const text = withoutFormula(cell);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const FORMULA = /^'*[=+\-@\t\r]/;
/** A number or a telephone number. */
const NUMBER = /^[+-][\d\s().,/-]*$/;

/**
 * Puts an apostrophe in front of a cell that a spreadsheet would run as a formula. Anyone can choose a name in a
 * sign-up form.
 */
function withoutFormula(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Reverses `withoutFormula`. */
export function readCsvCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

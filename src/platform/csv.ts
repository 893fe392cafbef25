/** CSV files (RFC 4180) that are streamed page by page. */
import { createTeamQueue } from './team-queue.ts';

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
/** A number or the number of a telephone. */
const NUMBER = /^[+-][\d\s().,/-]*$/;

/**
 * Keeps a spreadsheet from running a cell as a formula, by an apostrophe in front: strangers choose names in sign-up
 * forms.
 */
function withoutFormula(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Returns the cell as it was before it was written. */
export function readCsvCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/**
 * The editors have no tables, so each row becomes a line. Otherwise cells pasted from a spreadsheet would be joined
 * into one word.
 */
import type { PasteStep } from './pasted-html.ts';

const CELL_GAP = '\u2003';

export const FLAT_TABLES: PasteStep = { applies: /<t[dh]\b/i, change: flattenTables };

function flattenTables(page: Document): void {
  // Start with the innermost table, because its result is inside a cell of the outer one.
  for (const table of [...page.querySelectorAll('table')].toReversed()) {
    const lines = [...table.rows].map((row) => {
      const line = page.createElement('div');
      for (const [at, cell] of [...row.cells].entries()) {
        line.append(at === 0 ? '' : CELL_GAP, ...cell.childNodes);
      }
      return line;
    });
    table.replaceWith(...lines);
  }
}

/**
 * The editors have no tables, so each row becomes a line. Otherwise cells pasted from a spreadsheet would be joined
 * into one word.
 */
const CELL_GAP = '\u2003';

export function flattenTables(html: string): string {
  if (!/<t[dh]\b/i.test(html)) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  // Start with the innermost table, because its result is inside a cell of the outer one.
  for (const table of [...parsed.querySelectorAll('table')].toReversed()) {
    const lines = [...table.rows].map((row) => {
      const line = parsed.createElement('div');
      for (const [at, cell] of [...row.cells].entries()) {
        line.append(at === 0 ? '' : CELL_GAP, ...cell.childNodes);
      }
      return line;
    });
    table.replaceWith(...lines);
  }
  return parsed.body.innerHTML;
}

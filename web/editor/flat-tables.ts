/** The editors have no tables: a row becomes a line, so that cells pasted from a sheet do not run into one word. */
const CELL_GAP = '\u2003';

export function flattenTables(html: string): string {
  if (!/<t[dh]\b/i.test(html)) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  // The innermost first: what it became is in the cell of the one around it.
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

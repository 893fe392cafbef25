/** Changes pasted HTML in steps. It is parsed once, and only if one of them has something to do. */
export interface PasteStep {
  /** Matches HTML in which the step has something to do. */
  applies: RegExp;
  change: (page: Document) => void;
}

export function changePasted(html: string, steps: PasteStep[]): string {
  const due = steps.filter(({ applies }) => applies.test(html));
  if (due.length === 0) return html;
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const { change } of due) change(page);
  return page.body.innerHTML;
}

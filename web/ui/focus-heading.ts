/** For a part of a page that gives way to the next, and would take the focus along: the next begins at its heading. */
export function focusHeading(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true });
}

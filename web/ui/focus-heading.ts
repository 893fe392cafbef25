/** Moves the focus to the heading of the next step when the previous step, which had the focus, is replaced. */
export function focusHeading(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true });
}

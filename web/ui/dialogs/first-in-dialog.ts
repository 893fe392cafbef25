const FOCUSABLE =
  'input:not([type=hidden]), textarea, select, button, a[href], [contenteditable=true], [tabindex="0"]';

/**
 * When a dialog opens, moves the focus to the first control of its body, not to the button that closes it. A control
 * with `autoFocus` keeps the focus. A body without controls gets the focus itself, so that keys scroll it.
 */
export function focusFirstOf(body: HTMLElement | null, event: Event): void {
  if (!body || body.contains(document.activeElement)) return;
  const first = [...body.querySelectorAll<HTMLElement>(FOCUSABLE)].find(
    (element) => !element.matches(':disabled, [tabindex="-1"]') && element.checkVisibility(),
  );
  event.preventDefault();
  if (!first) body.tabIndex = 0;
  (first ?? body).focus();
}

import { useState } from 'react';

/**
 * After a dialog closes, returns the focus to the element that opened it. Radix does that only for dialogs with a
 * trigger.
 */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    // The result of the dialog may already have the focus.
    if (document.activeElement !== document.body) return;
    const place =
      opener?.isConnected && opener !== document.body ? opener : document.getElementById('content');
    // A text editor restores its own selection; the browser would put the caret at the start.
    if (place && isEditor(place)) place.editor.view.focus();
    else place?.focus({ preventScroll: true });
  };
}

function findOpener(): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  // A menu item disappears with its menu; use the button that opened the menu.
  const buttonId = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (buttonId ? document.getElementById(buttonId) : null) ?? active;
}

interface EditorElement extends HTMLElement {
  editor: { view: { focus(): void } };
}

/** TipTap stores the editor on its element. */
function isEditor(place: HTMLElement): place is EditorElement {
  return 'editor' in place;
}

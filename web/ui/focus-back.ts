import { useState } from 'react';

/** Who closes a dialog goes on where they opened it. Radix knows that place only of a dialog with a trigger of its own. */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    // What the dialog led to may have taken the focus already.
    if (document.activeElement !== document.body) return;
    const place = opener?.isConnected ? opener : document.getElementById('content');
    // A text editor puts its own selection back; the browser would put the caret at its beginning.
    if (place && isEditor(place)) place.editor.view.focus();
    else place?.focus({ preventScroll: true });
  };
}

function findOpener(): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  // An item of a menu goes with its menu; the button that opened it stays.
  const buttonId = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (buttonId ? document.getElementById(buttonId) : null) ?? active;
}

interface EditorElement extends HTMLElement {
  editor: { view: { focus(): void } };
}

/** TipTap leaves itself at its element. */
function isEditor(place: HTMLElement): place is EditorElement {
  return 'editor' in place;
}

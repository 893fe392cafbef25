/** Ctrl-K: type a few letters of where to go. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BookUser, Globe, type LucideIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useId, useState, type KeyboardEvent } from 'react';
import { contactBooksQuery } from '../features/contact-books/contact-books-api.ts';
import { domainsQuery } from '../features/domains/domains-api.ts';
import { useSession } from '../features/people/session.ts';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { useFocusBack } from '../ui/focus-back.ts';
import { NAVIGATION } from './navigation.ts';

const t = texts.shell;
const MAX_SHOWN = 9;

interface Choice {
  to: string;
  name: string;
  kind: string;
  icon: LucideIcon;
}

export function Palette({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices().filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const shown = choices.slice(0, MAX_SHOWN);

  function go(choice: Choice | undefined): void {
    if (!choice) return;
    onClose();
    void navigate({ to: choice.to });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') go(shown[at]);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || shown.length === 0) return;
    event.preventDefault();
    setAt((at + step + shown.length) % shown.length);
  }

  const focusBack = useFocusBack();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[#0008]" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusBack}
          className="fixed inset-x-3 top-[14vh] z-50 mx-auto max-w-lg animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">{t.palette}</Dialog.Title>
          <input
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={shown[at] ? `${listId}-${at}` : undefined}
            aria-label={t.paletteHint}
            placeholder={t.paletteHint}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
          />
          <ul id={listId} role="listbox" aria-label={t.palette} className="p-1.5">
            {shown.map((choice, index) => (
              // The keyboard goes through the field above; this is for the mouse.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <li
                key={choice.to}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                onMouseMove={() => setAt(index)}
                onClick={() => go(choice)}
                className={classes(
                  'flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5',
                  index === at && 'bg-hover',
                )}
              >
                <choice.icon aria-hidden className="size-4 shrink-0 text-soft" />
                <span className="truncate">{choice.name}</span>
                <span className="ml-auto text-xs text-soft">{choice.kind}</span>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p className="px-4 pb-4 text-soft">{t.paletteEmpty}</p>}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useChoices(): Choice[] {
  const { role } = useSession();
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data: domains = [] } = useQuery(domainsQuery);
  const places = NAVIGATION.flatMap(({ name, places }) =>
    places
      .filter((place) => !place.adminsOnly || role !== 'member')
      .map((place) => ({ to: place.to, name: place.name, kind: name ?? '', icon: place.icon })),
  );
  return [
    ...places,
    ...books.map(({ id, name }) => ({
      to: `/contact-books/${id}`,
      name,
      kind: t.pages.contactBooks,
      icon: BookUser,
    })),
    ...domains.map(({ id, name }) => ({ to: `/domains/${id}`, name, kind: t.pages.domains, icon: Globe })),
  ];
}

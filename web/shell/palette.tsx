/** The command palette (Ctrl-K): opens pages, runs actions, and finds items by name. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BookOpen, BookUser, Globe, LogOut, Moon, Sun, Upload, type LucideIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useId, useState, type KeyboardEvent } from 'react';
import { describeError } from '../api/describe-error.ts';
import { contactBooksQuery } from '../features/contact-books/contact-books-api.ts';
import { domainsQuery } from '../features/domains/domains-api.ts';
import { lastMailbox } from './last-mailbox.ts';
import { useSession } from '../features/people/session.ts';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { useFocusBack } from '../ui/dialogs/focus-back.ts';
import { CREATE_HASH } from '../ui/asked-to-create.ts';
import { NAVIGATION } from './navigation.ts';
import { currentPageActions } from '../ui/page-actions.tsx';
import { PALETTE_ACTIONS } from './palette-actions.ts';
import { usePaletteSearch, type Found } from './palette-search.ts';
import { useSignOut } from './sign-out.ts';
import { chooseTheme, useIsDark } from './theme.ts';

const t = texts.shell;
const MAX_PAGES_SHOWN = 6;
const MAX_ACTIONS_SHOWN = 5;
/** The maximum length of a search on the server. */
const MAX_LENGTH = 200;

interface Choice {
  key: string;
  name: string;
  note?: string;
  kind: string;
  icon: LucideIcon;
  /** Other words by which it is found. */
  words?: string;
  run(): Promise<unknown> | void;
}

interface PaletteProps {
  /** Returns the text that was typed before the palette was loaded. */
  readTyped(): string;
  onClose(): void;
}

export function Palette({ readTyped, onClose }: PaletteProps) {
  const listId = useId();
  const [text, setText] = useState(readTyped);
  const [at, setAt] = useState(0);
  const { shown, isSearching, error } = useShown(text);
  const emptyText = error ? describeError(error) : t.paletteEmpty;

  function go(choice: Choice | undefined): void {
    if (!choice) return;
    onClose();
    void choice.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    // During the composition of a character, Enter only ends it.
    if (event.nativeEvent.isComposing) return;
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
            maxLength={MAX_LENGTH}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
          />
          <ul
            id={listId}
            role="listbox"
            aria-label={t.palette}
            className="max-h-[55vh] overflow-y-auto p-1.5 empty:hidden"
          >
            {shown.map((choice, index) => (
              <ChoiceRow
                key={choice.key}
                choice={choice}
                id={`${listId}-${index}`}
                isActive={index === at}
                onPoint={() => setAt(index)}
                onChoose={() => go(choice)}
              />
            ))}
          </ul>
          <p role="status" className={shown.length === 0 ? 'px-4 py-3 text-soft' : 'sr-only'}>
            {isSearching ? t.paletteSearching : shown.length === 0 ? emptyText : t.results(shown.length)}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ChoiceRowProps {
  choice: Choice;
  id: string;
  isActive: boolean;
  onPoint(): void;
  onChoose(): void;
}

function ChoiceRow({ choice, id, isActive, onPoint, onChoose }: ChoiceRowProps) {
  return (
    // The keyboard is handled by the field above; this is for the mouse.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <li
      ref={(item) => {
        if (item && isActive) item.scrollIntoView({ block: 'nearest' });
      }}
      id={id}
      role="option"
      aria-selected={isActive}
      onMouseMove={onPoint}
      onClick={onChoose}
      className={classes(
        'flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 pointer-coarse:h-11',
        isActive && 'bg-hover',
      )}
    >
      <choice.icon aria-hidden className="size-4 shrink-0 text-soft" />
      <span className="min-w-0 shrink-0 max-w-[60%] truncate">{choice.name}</span>
      <span className="min-w-0 truncate text-[0.8125rem] text-soft">{choice.note}</span>
      <span className="ml-auto shrink-0 text-xs text-soft max-sm:hidden">{choice.kind}</span>
    </li>
  );
}

/** Pages and actions whose names match, then the results of the server. */
function useShown(text: string): { shown: Choice[]; isSearching: boolean; error: Error | null } {
  const navigate = useNavigate();
  const { role } = useSession();
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data: domains = [] } = useQuery(domainsQuery);
  const { found, isSearching, error } = usePaletteSearch(text);
  const wanted = text.trim().toLowerCase();
  const isAdmin = role !== 'member';
  const goTo = ({ to, ...rest }: Found & Pick<Choice, 'words'>): Choice => ({
    ...rest,
    key: to,
    run: () => navigate({ to }),
  });

  const places = NAVIGATION.flatMap(({ name, places: ofGroup }) =>
    ofGroup
      .filter((place) => !place.adminsOnly || isAdmin)
      .map((place) =>
        goTo({ to: place.to, name: place.name, words: place.words, kind: name ?? '', icon: place.icon }),
      ),
  );
  const named = [
    ...books.map(({ id, name }) => ({
      to: `/contact-books/${id}`,
      name,
      kind: t.kinds.book,
      icon: BookUser,
    })),
    ...domains.map(({ id, name }) => ({ to: `/domains/${id}`, name, kind: t.kinds.domain, icon: Globe })),
  ].map(goTo);
  const actions = PALETTE_ACTIONS.filter(({ adminsOnly }) => !adminsOnly || isAdmin).map(
    ({ name, words, icon, to }): Choice => ({
      key: name,
      name,
      words,
      kind: t.kinds.action,
      icon,
      run: () => (to === null ? startComposing(navigate) : navigate({ to, hash: CREATE_HASH })),
    }),
  );
  const commands = useCommands(books);
  const ofPage = currentPageActions()
    .filter(({ name }) => !actions.some((action) => action.name === name))
    .map((action): Choice => ({ ...action, key: `page ${action.name}`, kind: t.kinds.action }));
  const parts = wanted.split(/\s+/);
  const fits = ({ name, words = '' }: Choice) => {
    const text = `${name} ${words}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  };
  return {
    shown: [
      ...ofPage.filter(fits).slice(0, wanted === '' ? MAX_ACTIONS_SHOWN : MAX_PAGES_SHOWN),
      ...[...places, ...named].filter(fits).slice(0, MAX_PAGES_SHOWN),
      ...[...actions, ...commands].filter(fits).slice(0, MAX_ACTIONS_SHOWN),
      ...found.map(goTo),
    ],
    isSearching,
    error,
  };
}

/** What the palette does by itself, besides the actions that open the dialog of a page. */
function useCommands(books: readonly { id: string }[]): Choice[] {
  const navigate = useNavigate();
  const isDark = useIsDark();
  const signOut = useSignOut();
  const [book, ...others] = books;
  const command = (name: string, words: string, icon: LucideIcon, run: Choice['run']): Choice => ({
    key: name,
    name,
    words,
    kind: t.kinds.action,
    icon,
    run,
  });
  const { actions } = t;
  const { words } = actions;
  return [
    command(actions.import, words.import, Upload, () =>
      navigate({ to: book && others.length === 0 ? `/contact-books/${book.id}/import` : '/contact-books' }),
    ),
    command(isDark ? actions.lightTheme : actions.darkTheme, words.theme, isDark ? Sun : Moon, () =>
      chooseTheme(isDark ? 'light' : 'dark'),
    ),
    command(t.docs, words.docs, BookOpen, () => void window.open('/api/docs', '_blank', 'noopener')),
    command(t.signOut, words.signOut, LogOut, signOut),
  ];
}

/** Opens a composer in the mailbox that was last open. */
function startComposing(navigate: ReturnType<typeof useNavigate>): Promise<void> {
  const mailboxId = lastMailbox();
  if (mailboxId === null) return navigate({ to: '/mail' });
  const params = { mailboxId, folder: 'inbox' };
  return navigate({ to: '/mail/$mailboxId/$folder', params, hash: CREATE_HASH });
}

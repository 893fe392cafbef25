import { Search, X } from 'lucide-react';
import { useEffect, useId, useState, type FormEvent, type KeyboardEvent, type RefObject } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { KeyHint } from '../../../ui/key-hint.tsx';
import { comboboxOf, Suggestions } from '../../../ui/suggestions.tsx';
import { useIsLeaving } from '../../../ui/use-is-leaving.ts';
import { isUnfinished, offerOperators, withOperator, type SearchOperator } from './search-operators.ts';

const t = mailTexts.search;
const PAUSE_MS = 250;

interface SearchBoxProps {
  q: string;
  field: RefObject<HTMLInputElement | null>;
  search(q: string): void;
}

/** Searches when typing pauses, or immediately on Enter. */
export function SearchBox({ q, field, search }: SearchBoxProps) {
  const id = useId();
  const [text, setText] = useSearchText({ q, field, search });
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const offers = isOpen ? offerOperators(text, new Date()) : [];

  function change(next: string): void {
    setText(next);
    setAt(-1);
    setIsOpen(true);
  }

  function changeInField(next: string): void {
    change(next);
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const offer = offers[at];
    if (event.key === 'Escape') {
      if (text === '') event.currentTarget.blur();
      else change('');
    } else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, offers.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, -1));
    else if (event.key === 'Enter' && offer) changeInField(withOperator(text, offer));
    else return;
    event.preventDefault();
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    setIsOpen(false);
    search(text.trim());
  }

  return (
    <form role="search" onSubmit={onSubmit} className="relative min-w-0 flex-1">
      <Search aria-hidden className="absolute inset-y-0 left-2.5 my-auto size-4 text-soft" />
      <input
        ref={field}
        type="text"
        {...comboboxOf(id, offers, at)}
        enterKeyHint="search"
        value={text}
        aria-label={t.label}
        aria-keyshortcuts="/"
        placeholder={t.placeholder}
        maxLength={1000}
        onChange={({ target }) => change(target.value)}
        onFocus={() => setIsOpen(true)}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
        className="h-8 pointer-coarse:h-10 w-full rounded-lg border border-edge/60 bg-raised pr-8 pl-8 hover:border-edge"
      />
      {text === '' && <KeyHint keys={t.key} className="absolute inset-y-0 right-2 my-auto h-5" />}
      {text !== '' && <ClearButton onClick={() => changeInField('')} />}
      <Suggestions
        id={id}
        label={t.operators}
        items={offers}
        at={at}
        setAt={setAt}
        choose={(offer) => changeInField(withOperator(text, offer))}
        keyOf={(offer) => offer.text}
        className="left-0 mt-1 w-80 min-w-full"
      >
        {(offer) => <Offer offer={offer} />}
      </Suggestions>
    </form>
  );
}

/** The typed text. It follows the address of the page, and changes the address when typing pauses. */
function useSearchText({ q, field, search }: SearchBoxProps) {
  const [text, setText] = useState(q);
  useEffect(() => {
    // While the user types, the field is ahead of the address.
    if (document.activeElement !== field.current) setText(q);
  }, [q, field]);
  const isLeaving = useIsLeaving();
  useEffect(() => {
    if (text.trim() === q || isUnfinished(text) || isLeaving) return undefined;
    const timer = window.setTimeout(() => search(text.trim()), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, q, search, isLeaving]);
  return [text, setText] as const;
}

function ClearButton({ onClick }: { onClick(): void }) {
  return (
    <button
      type="button"
      aria-label={t.clear}
      onClick={onClick}
      className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-lg text-soft hover:text-ink"
    >
      <X aria-hidden className="size-4" />
    </button>
  );
}

function Offer({ offer: { text, example, meaning } }: { offer: SearchOperator }) {
  return (
    <>
      <code className="min-w-0 truncate text-[0.8125rem]">{example ?? text.trim()}</code>
      <span className="ml-auto shrink-0 text-[0.8125rem] text-soft">{meaning}</span>
    </>
  );
}

import { Search, X } from 'lucide-react';
import { useEffect, useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { mailTexts } from '../../texts/en/mail.ts';
import { comboboxOf, Suggestions } from '../../ui/suggestions.tsx';
import { isUnfinished, offerOperators, withOperator, type SearchOperator } from './search-operators.ts';

const t = mailTexts.search;
const PAUSE_MS = 250;

interface SearchBoxProps {
  q: string;
  field: RefObject<HTMLInputElement | null>;
  search(q: string): void;
}

/** Searches when the typing pauses, or at once by Enter. */
export function SearchBox({ q, field, search }: SearchBoxProps) {
  const id = useId();
  const [text, setText] = useState(q);
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const offers = isOpen ? offerOperators(text, new Date()) : [];
  useEffect(() => {
    // Who is typing is ahead of the address of the page.
    if (document.activeElement !== field.current) setText(q);
  }, [q, field]);
  useEffect(() => {
    if (text.trim() === q || isUnfinished(text)) return undefined;
    const timer = window.setTimeout(() => search(text.trim()), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, q, search]);

  function change(next: string): void {
    setText(next);
    setAt(-1);
    setIsOpen(true);
  }

  function choose(operator: SearchOperator): void {
    change(withOperator(text, operator));
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const offer = offers[at];
    if (event.key === 'Escape') {
      if (text === '') event.currentTarget.blur();
      else change('');
    } else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, offers.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, -1));
    else if (event.key === 'Enter' && offer) choose(offer);
    else return;
    event.preventDefault();
  }

  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setIsOpen(false);
        search(text.trim());
      }}
      className="relative min-w-0 flex-1"
    >
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-soft" />
      <input
        ref={field}
        type="text"
        {...comboboxOf(id, offers, at)}
        enterKeyHint="search"
        value={text}
        aria-label={t.label}
        aria-keyshortcuts="/"
        placeholder={t.placeholder}
        onChange={({ target }) => change(target.value)}
        onFocus={() => setIsOpen(true)}
        onClick={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
        className="h-8 w-full rounded-lg border border-edge/60 bg-raised pr-8 pl-8 hover:border-edge"
      />
      {text !== '' && (
        <button
          type="button"
          aria-label={t.clear}
          onClick={() => {
            change('');
            field.current?.focus();
          }}
          className="absolute top-1.5 right-1.5 rounded p-0.5 text-soft hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
      <Suggestions
        id={id}
        label={t.operators}
        items={offers}
        at={at}
        setAt={setAt}
        choose={choose}
        keyOf={(offer) => offer.text}
        className="left-0 mt-1 w-80 min-w-full"
      >
        {(offer) => (
          <>
            <code className="min-w-0 truncate text-[0.8125rem]">{offer.example ?? offer.text.trim()}</code>
            <span className="ml-auto shrink-0 text-[0.8125rem] text-soft">{offer.meaning}</span>
          </>
        )}
      </Suggestions>
    </form>
  );
}

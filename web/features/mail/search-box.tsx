import { Search, X } from 'lucide-react';
import { useEffect, useState, type RefObject } from 'react';
import { mailTexts } from '../../texts/en/mail.ts';

const t = mailTexts.search;
const PAUSE_MS = 250;

interface SearchBoxProps {
  q: string;
  field: RefObject<HTMLInputElement | null>;
  search(q: string): void;
}

/** Searches when the typing pauses, or at once by Enter. */
export function SearchBox({ q, field, search }: SearchBoxProps) {
  const [text, setText] = useState(q);
  useEffect(() => {
    // Who is typing is ahead of the address of the page.
    if (document.activeElement !== field.current) setText(q);
  }, [q, field]);
  useEffect(() => {
    if (text.trim() === q) return undefined;
    const timer = window.setTimeout(() => search(text.trim()), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, q, search]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(text.trim());
      }}
      className="relative min-w-0 flex-1"
    >
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-soft" />
      <input
        ref={field}
        type="text"
        enterKeyHint="search"
        value={text}
        title={t.hint}
        aria-label={t.label}
        aria-keyshortcuts="/"
        placeholder={t.placeholder}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') event.currentTarget.blur();
          setText('');
        }}
        className="h-8 w-full rounded-lg border border-edge/60 bg-raised pr-8 pl-8 hover:border-edge"
      />
      {text !== '' && (
        <button
          type="button"
          aria-label={t.clear}
          onClick={() => {
            setText('');
            field.current?.focus();
          }}
          className="absolute top-1.5 right-1.5 rounded p-0.5 text-soft hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </form>
  );
}

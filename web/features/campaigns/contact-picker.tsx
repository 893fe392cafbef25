/** A field that finds a contact of a book by name or address. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useId, useState, type KeyboardEvent } from 'react';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { fullName } from '../../../src/features/audience/own-fields/full-name.ts';
import { getJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { TextField } from '../../ui/field.tsx';
import { comboboxOf, Suggestions } from '../../ui/suggestions.tsx';

const t = campaignTexts;
const SHOWN = 8;

interface ContactPickerProps {
  /** By default, it chooses for whom a preview is. */
  label?: string;
  bookId: string;
  /** The address of the chosen contact, or undefined for the first recipient. */
  value: string | undefined;
  onChange(email: string | undefined): void;
}

function useFoundContacts(bookId: string, typed: string | null) {
  const search = typed?.trim() ?? '';
  const query = queryOptions({
    queryKey: ['contacts', bookId, 'found', search],
    queryFn: ({ signal }) =>
      getJson<{ items: Contact[] }>(
        `/contactBooks/${bookId}/contacts`,
        { limit: SHOWN, search: search || undefined },
        signal,
      ),
  });
  const { data, isPlaceholderData: isOld } = useQuery({
    ...query,
    enabled: typed !== null && bookId !== '',
    placeholderData: keepPreviousData,
  });
  const found = typed === null ? [] : (data?.items ?? []);
  /** The list that is shown may still be that of an earlier text. */
  async function findNow(): Promise<Contact[]> {
    if (!isOld) return found;
    const answer = await queryClient.fetchQuery(query).catch(() => null);
    return answer?.items ?? [];
  }
  return { search, found, findNow, isLoaded: data !== undefined };
}

export function ContactPicker({ label = t.previewFor, bookId, value, onChange }: ContactPickerProps) {
  const id = useId();
  /** Null while no one types. */
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const { search, found, findNow, isLoaded } = useFoundContacts(bookId, typed);

  function begin(): void {
    setAt(0);
    setTyped((before) => before ?? '');
  }

  function choose({ email }: Contact): void {
    setTyped(null);
    onChange(email);
  }

  async function take(): Promise<void> {
    const contact = (await findNow())[at];
    if (contact) choose(contact);
  }

  function press(event: KeyboardEvent): void {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (typed === null) begin();
      else setAt((at + move + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      void take();
    } else if (event.key === 'Escape' && typed !== null) {
      event.stopPropagation();
      setTyped(null);
    }
  }

  return (
    <div className="relative w-full sm:max-w-80 sm:flex-[1_1_16rem]">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 z-10 size-4 text-soft" />
      <TextField
        bare
        label={label}
        {...comboboxOf(id, found, at)}
        className="[&_input]:pl-9"
        placeholder={value ?? label}
        value={typed ?? value ?? ''}
        onClick={begin}
        onChange={({ target }) => {
          setAt(0);
          setTyped(target.value);
          if (target.value === '') onChange(undefined);
        }}
        onBlur={() => setTyped(null)}
        onKeyDown={press}
      />
      {typed !== null && isLoaded && found.length === 0 && <Nobody search={search} />}
      <Suggestions
        id={id}
        label={label}
        items={found}
        at={at}
        setAt={setAt}
        choose={choose}
        keyOf={(contact) => contact.id}
        className="right-0 left-0 mt-1 max-h-72 overflow-y-auto"
      >
        {(contact) => <Person contact={contact} />}
      </Suggestions>
    </div>
  );
}

function Nobody({ search }: { search: string }) {
  return (
    <p
      role="status"
      className="absolute top-full z-20 mt-1 w-full rounded-lg border border-line bg-raised px-3.5 py-2 text-soft shadow-float"
    >
      {search === '' ? t.previewNobody : t.previewNotFound(search)}
    </p>
  );
}

function Person({ contact }: { contact: Contact }) {
  const { email } = contact;
  const name = fullName(contact);
  return (
    <span className="min-w-0">
      <span className="block truncate">{name || email}</span>
      {name && <span className="block truncate text-xs text-soft">{email}</span>}
    </span>
  );
}

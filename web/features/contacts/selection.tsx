/** Which contacts of a list are selected. */
import { useState } from 'react';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { texts } from '../../texts/en.ts';
import type { Column } from '../../ui/columns.tsx';

const t = texts.contacts;

export interface Selection {
  ids: readonly string[];
  /** Whether all loaded contacts are selected. */
  isAll: boolean;
  has(id: string): boolean;
  toggle(id: string): void;
  toggleAll(): void;
  clear(): void;
}

/** Contacts that are no longer in the list are no longer selected. */
export function useSelection(loaded: readonly Contact[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ids = loaded.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const isAll = loaded.length > 0 && ids.length === loaded.length;
  return {
    ids,
    isAll,
    has: (id) => chosen.has(id),
    toggle: (id) => setChosen(new Set(chosen.has(id) ? ids.filter((each) => each !== id) : [...ids, id])),
    toggleAll: () => setChosen(new Set(isAll ? [] : loaded.map(({ id }) => id))),
    clear: () => setChosen(new Set()),
  };
}

const box = 'block size-4 accent-ink';

export function selectColumn(selection: Selection): Column<Contact> {
  return {
    name: t.select,
    width: '1rem',
    head: (
      <input
        type="checkbox"
        aria-label={t.selectAll}
        className={box}
        checked={selection.isAll}
        ref={(input) => {
          if (input) input.indeterminate = selection.ids.length > 0 && !selection.isAll;
        }}
        onChange={selection.toggleAll}
      />
    ),
    cell: ({ id, email }) => (
      <input
        type="checkbox"
        aria-label={t.selectOne(email)}
        className={box}
        checked={selection.has(id)}
        onChange={() => selection.toggle(id)}
      />
    ),
  };
}

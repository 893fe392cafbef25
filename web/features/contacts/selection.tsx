/** Which contacts of a list are selected. */
import { useState } from 'react';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import type { Column } from '../../ui/lists/columns.tsx';

const t = contactTexts;

export interface Selection {
  ids: readonly string[];
  /** Whether all loaded contacts are selected. */
  isAll: boolean;
  /** Whether contacts were selected that the list has not loaded. */
  isBeyond: boolean;
  has(id: string): boolean;
  toggle(id: string): void;
  toggleAll(): void;
  /** Selects contacts that the list need not have loaded. */
  selectMany(ids: readonly string[]): void;
  clear(): void;
}

interface Chosen {
  ids: ReadonlySet<string>;
  isBeyond: boolean;
}
const NONE: Chosen = { ids: new Set(), isBeyond: false };

/**
 * Contacts that are no longer in the list are no longer selected, unless they were selected without being loaded.
 * `filter` is what the list shows: with another one, nothing is selected.
 */
export function useSelection(loaded: readonly Contact[], filter: string): Selection {
  const [state, setState] = useState({ filter, chosen: NONE });
  const chosen = state.filter === filter ? state.chosen : NONE;
  const set = (next: Chosen) => setState({ filter, chosen: next });
  const ids = chosen.isBeyond
    ? [...chosen.ids]
    : loaded.filter(({ id }) => chosen.ids.has(id)).map(({ id }) => id);
  const isAll = loaded.length > 0 && loaded.every(({ id }) => chosen.ids.has(id));
  return {
    ids,
    isAll,
    isBeyond: chosen.isBeyond,
    has: (id) => chosen.ids.has(id),
    toggle: (id) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      set({ ...chosen, ids: next });
    },
    toggleAll: () => set(isAll ? NONE : { ids: new Set(loaded.map(({ id }) => id)), isBeyond: false }),
    selectMany: (many) => set({ ids: new Set(many), isBeyond: true }),
    clear: () => set(NONE),
  };
}

/** The area around a box belongs to it, so that a finger finds it. */
const area = '-mx-3 grid size-10 place-items-center';
const box = 'size-4 accent-ink';

export function selectColumn(selection: Selection): Column<Contact> {
  return {
    name: t.select,
    width: '1rem',
    head: (
      <label className={area}>
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
      </label>
    ),
    cell: ({ id, email }) => (
      <label className={area}>
        <input
          type="checkbox"
          aria-label={t.selectOne(email)}
          className={box}
          checked={selection.has(id)}
          onChange={() => selection.toggle(id)}
        />
      </label>
    ),
  };
}

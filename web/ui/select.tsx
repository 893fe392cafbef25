/**
 * A list to choose one option from (the select-only combobox of the ARIA practices). A long list has a search field.
 */
import { ChevronDown, Search } from 'lucide-react';
import { useId, useRef, type RefObject } from 'react';
import { controlTexts as t } from '../texts/en/controls.ts';
import { classes } from './classes.ts';
import { ListBox, optionId } from './list-box.tsx';
import type { Options } from './options.ts';
import { Popup } from './popup.tsx';
import { useSelectList, type SelectList } from './select-list.ts';

/** Lists with more options than this have a search field. */
const SEARCH_FROM = 10;

export const controlClasses = classes(
  'w-full min-w-0 rounded-lg border border-edge/60 bg-raised px-3 text-ink',
  'hover:border-edge aria-invalid:border-bad disabled:opacity-60',
);

export const controlHeight = 'h-9 pointer-coarse:h-10';

export interface SelectProps {
  id?: string;
  value: string | number;
  options: Options;
  /** Has the shape of a native event, so that a form treats all fields alike. */
  onChange(event: { target: { value: string } }): void;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  /** Called before the list opens, for options that are expensive to compute. */
  onOpen?(): void;
  /** By default, long lists have a search field. */
  hasSearch?: boolean;
  disabled?: boolean;
  required?: boolean;
  /** The name of the list, and of the control if it has no label. */
  label: string;
  'aria-label'?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
  className?: string;
}

export function Select(props: SelectProps) {
  const { options, placeholder, required, label, className } = props;
  const { hasSearch = options.length > SEARCH_FROM } = props;
  const value = String(props.value);
  const button = useRef<HTMLButtonElement>(null);
  const listId = useId();
  const list = useSelectList(props, { hasSearch, button, searchId: `${listId}-search` });
  const { isOpen, at, found } = list;
  const name = options.find(([option]) => option === value)?.[1];
  return (
    <Popup
      open={isOpen}
      onClose={list.dismiss}
      button={button}
      label={hasSearch ? label : undefined}
      focusInside={hasSearch ? () => document.getElementById(`${listId}-search`)?.focus() : undefined}
      className="w-max min-w-(--radix-popover-trigger-width)"
      anchor={
        <span className={classes('relative block min-w-0', className)}>
          <button
            ref={button}
            id={props.id}
            type="button"
            role="combobox"
            disabled={props.disabled}
            aria-label={props['aria-label']}
            aria-describedby={props['aria-describedby']}
            aria-invalid={props['aria-invalid']}
            aria-required={required || undefined}
            aria-haspopup={hasSearch ? 'dialog' : 'listbox'}
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={isOpen && !hasSearch ? optionId(listId, at) : undefined}
            onClick={list.toggle}
            onKeyDown={list.onButtonKey}
            className={classes(controlClasses, controlHeight, 'flex items-center gap-2 text-left')}
          >
            <span className={classes('min-w-0 flex-1 truncate', name === undefined && 'text-soft')}>
              {name ?? placeholder ?? t.choose}
            </span>
            <ChevronDown aria-hidden className="size-4 shrink-0 text-soft" />
          </button>
          {required && <Required isChosen={value !== ''} button={button} />}
        </span>
      }
    >
      {hasSearch && <SearchLine {...{ listId, label, list }} />}
      <ListBox
        id={listId}
        {...{ label, value, at }}
        setAt={list.setAt}
        choose={list.choose}
        options={found}
      />
      {found.length === 0 && (
        <p role="status" className="px-3 pb-3 text-soft">
          {t.noMatch}
        </p>
      )}
    </Popup>
  );
}

function SearchLine({ listId, label, list }: { listId: string; label: string; list: SelectList }) {
  const { typed, at, found } = list;
  return (
    <div className="flex items-center gap-2 border-b border-line px-3">
      <Search aria-hidden className="size-4 shrink-0 text-soft" />
      <input
        id={`${listId}-search`}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? optionId(listId, at) : undefined}
        aria-label={t.searchIn(label)}
        placeholder={t.search}
        autoComplete="off"
        spellCheck={false}
        // Phones zoom in on fields with smaller text.
        className="h-10 min-w-0 flex-1 bg-transparent outline-none max-sm:text-base"
        value={typed}
        onChange={({ target }) => list.type(target.value)}
        onKeyDown={list.onSearchKey}
      />
    </div>
  );
}

/** Lets the browser block a form without a choice, as with a native field. */
function Required({ isChosen, button }: { isChosen: boolean; button: RefObject<HTMLButtonElement | null> }) {
  return (
    <input
      required
      aria-hidden
      tabIndex={-1}
      value={isChosen ? 'chosen' : ''}
      onChange={() => {}}
      onFocus={() => button.current?.focus()}
      className="pointer-events-none absolute inset-x-0 bottom-0 h-px opacity-0"
    />
  );
}

/** The part above a list: the fields that search and filter it. */
import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { classes } from './classes.ts';
import { Field, SelectField } from './field.tsx';
import { controlClasses, controlHeight } from './select.tsx';
import { useIsLeaving } from './use-is-leaving.ts';

const TYPING_PAUSE_MS = 250;
/** The maximum length of a search on the server. */
const MAX_LENGTH = 200;

export function ListFilters({ children }: { children: ReactNode }) {
  return <div className="mb-4 flex flex-wrap gap-2">{children}</div>;
}

interface SearchFieldProps {
  label: string;
  value: string | undefined;
  /** Called when typing pauses. */
  onSearch(text: string | undefined): void;
}

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value ?? '');
  const [given, setGiven] = useState(value);
  if (value !== given) {
    setGiven(value);
    // The search was cleared elsewhere, not in this field.
    if (value === undefined) setTyped('');
  }
  const latest = useRef(onSearch);
  latest.current = onSearch;
  const isLeaving = useIsLeaving();
  useEffect(() => {
    const text = typed.trim() || undefined;
    if (text === value || isLeaving) return;
    const timer = window.setTimeout(() => latest.current(text), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, value, isLeaving]);
  return (
    <Field bare label={label} className="w-full sm:max-w-72 sm:min-w-48 sm:flex-[1_1_12rem]">
      {(described) => (
        <span className="relative block">
          <Search
            aria-hidden
            className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-soft"
          />
          <input
            type="search"
            placeholder={label}
            maxLength={MAX_LENGTH}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            {...described}
            className={classes(controlClasses, controlHeight, 'pl-9')}
          />
        </span>
      )}
    </Field>
  );
}

interface ChoiceFieldProps<Choice extends string> {
  label: string;
  /** The label for no choice. */
  all: string;
  choices: readonly (readonly [value: Choice, name: string, note?: string])[];
  value: Choice | undefined;
  onChoose(choice: Choice | undefined): void;
}

export function ChoiceField<Choice extends string>(props: ChoiceFieldProps<Choice>) {
  const { label, all, choices, value, onChoose } = props;
  return (
    <SelectField
      bare
      className="max-sm:min-w-40 max-sm:flex-1 sm:w-44"
      label={label}
      value={value ?? ''}
      options={[['', all], ...choices]}
      onChange={({ target }) => onChoose((target.value || undefined) as Choice | undefined)}
    />
  );
}

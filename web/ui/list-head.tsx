/** What stands above a list: the button that makes a new item, and the fields that choose among them. */
import { Plus } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { SelectField, TextField } from './field.tsx';

const TYPING_PAUSE_MS = 250;

interface CreateButtonProps {
  children: string;
  disabled?: boolean;
  title?: string;
  onClick(): void;
}

export function CreateButton(props: CreateButtonProps) {
  return <Button look="primary" icon={Plus} {...props} />;
}

export function ListFilters({ children }: { children: ReactNode }) {
  return <div className="mb-4 flex flex-wrap gap-2">{children}</div>;
}

interface SearchFieldProps {
  label: string;
  value: string | undefined;
  /** Called when the typing rests. It must stay the same function. */
  onSearch(text: string | undefined): void;
}

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value ?? '');
  const [given, setGiven] = useState(value);
  if (value !== given) {
    setGiven(value);
    // Cleared by something else than this field.
    if (value === undefined) setTyped('');
  }
  useEffect(() => {
    const text = typed.trim() || undefined;
    if (text === value) return;
    const timer = window.setTimeout(() => onSearch(text), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <TextField
      bare
      className="w-full sm:w-72"
      type="search"
      label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

interface ChoiceFieldProps<Choice extends string> {
  label: string;
  /** What stands for no choice. */
  all: string;
  choices: readonly (readonly [value: Choice, name: string])[];
  value: Choice | undefined;
  onChoose(choice: Choice | undefined): void;
}

export function ChoiceField<Choice extends string>(props: ChoiceFieldProps<Choice>) {
  const { label, all, choices, value, onChoose } = props;
  return (
    <SelectField
      bare
      className="max-sm:flex-1"
      label={label}
      value={value ?? ''}
      onChange={({ target }) => onChoose((target.value || undefined) as Choice | undefined)}
    >
      <option value="">{all}</option>
      {choices.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

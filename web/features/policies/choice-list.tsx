import { useId } from 'react';
import { CheckboxField } from '../../ui/field.tsx';

interface ChoiceListProps {
  label: string;
  hint?: string;
  options: readonly (readonly [id: string, name: string])[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** Several of some things that the team has. Nothing is shown if it has none. */
export function ChoiceList({ label, hint, options, chosen, onChange }: ChoiceListProps) {
  const id = useId();
  if (options.length === 0) return null;
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id} className="mb-1.5 font-medium">
        {label}
      </p>
      <div
        // A long list scrolls by itself, also with the keyboard.
        className="max-h-44 space-y-1.5 overflow-y-auto rounded-lg border border-line px-3 py-2"
      >
        {options.map(([value, name]) => (
          <CheckboxField
            key={value}
            label={name}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
        ))}
      </div>
      {hint && <p className="mt-1.5 text-note text-soft">{hint}</p>}
    </div>
  );
}

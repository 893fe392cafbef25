/** Filters a list from one day to another, both included. */
import { DateField } from '../dates/date-field.tsx';

interface Days {
  since?: string;
  until?: string;
}

interface DayRangeProps {
  days: Days;
  labels: { since: string; until: string };
  placeholders: { since: string; until: string };
  onChange(days: Days): void;
}

export function DayRange({ days, labels, placeholders, onChange }: DayRangeProps) {
  const fieldOf = (name: 'since' | 'until') => (
    <DateField
      bare
      className="max-sm:flex-1 sm:w-36"
      label={labels[name]}
      title={labels[name]}
      placeholder={placeholders[name]}
      value={days[name] ?? ''}
      onChange={({ target }) => onChange({ [name]: target.value || undefined })}
    />
  );
  return (
    <div className="flex items-center gap-1.5 max-sm:w-full">
      {fieldOf('since')}
      <span aria-hidden className="text-soft">
        –
      </span>
      {fieldOf('until')}
    </div>
  );
}

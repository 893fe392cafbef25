import { formTexts } from '../../texts/en/forms.ts';
import { ColourSwatch } from '../../ui/colour-swatch.tsx';
import { TextField } from '../../ui/field.tsx';

const t = formTexts;

interface ColorFieldProps {
  label: string;
  /** Empty for the default. */
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

/** A color as text, with the browser's picker beside it. */
export function ColorField({ label, value, error, onChange }: ColorFieldProps) {
  return (
    <div className="flex items-start gap-2">
      <TextField
        className="flex-1"
        label={label}
        value={value}
        placeholder={t.default}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
      <ColourSwatch
        aria-label={t.pick(label)}
        value={value}
        onChange={onChange}
        className="mt-[calc(1.45em+0.375rem)] h-9"
      />
    </div>
  );
}

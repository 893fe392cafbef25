import { texts } from '../../texts/en.ts';
import { TextField } from '../../ui/field.tsx';

const t = texts.forms;
/** The browser's picker always has a color; this one is shown while none is chosen. */
const NONE = '#888888';

interface ColorFieldProps {
  label: string;
  /** Empty for the default. */
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

/** A color as text, with the browser's picker beside it. */
export function ColorField({ label, value, error, onChange }: ColorFieldProps) {
  const isColor = /^#[0-9a-f]{6}$/i.test(value);
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
      <input
        type="color"
        aria-label={t.pick(label)}
        value={isColor ? value : NONE}
        onChange={({ target }) => onChange(target.value)}
        className="mt-7 h-9 w-10 shrink-0 cursor-pointer rounded-lg border border-edge/60 bg-raised p-1"
      />
    </div>
  );
}

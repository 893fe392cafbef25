/** The small fields of the settings beside the editor. */
import { AlignCenter, AlignLeft, AlignRight, X } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useId } from 'react';
import { editorTexts } from '../../texts/en/editor.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ColourSwatch } from '../../ui/colour-swatch.tsx';
import { TextField } from '../../ui/field.tsx';
import { completeLink, isLink } from '../nodes/link-address.ts';

const t = editorTexts.settings;

interface ValueProps<Value> {
  label: string;
  value: unknown;
  onChange(value: Value): void;
}

export function ColourField({ label, value, onChange }: ValueProps<string | null>) {
  const id = useId();
  const colour = typeof value === 'string' ? value : null;
  return (
    <div className="flex items-center justify-between gap-2">
      <label htmlFor={id}>{label}</label>
      <span className="flex items-center gap-1.5">
        {colour !== null && <IconButton icon={X} label={t.without(label)} onClick={() => onChange(null)} />}
        <span className={classes('text-right text-xs text-soft', colour !== null && 'font-mono')}>
          {colour ?? t.automatic}
        </span>
        <ColourSwatch id={id} value={colour} onChange={onChange} className="h-8" />
      </span>
    </div>
  );
}

interface NumberProps extends ValueProps<number | null> {
  max: number;
  hint?: string;
}

export function NumberField({ label, value, max, hint, onChange }: NumberProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={0}
      max={max}
      value={typeof value === 'number' || typeof value === 'string' ? value : ''}
      onChange={({ target }) =>
        onChange(target.value === '' ? null : Math.min(Math.max(Number(target.value), 0), max))
      }
    />
  );
}

/** Completes the typed text when the field loses the focus. Text that is not a link would be missing in the email. */
export function LinkField({ label, value, onChange }: ValueProps<string>) {
  const address = typeof value === 'string' ? value : '';
  return (
    <TextField
      label={label}
      placeholder="https://"
      maxLength={2000}
      value={address}
      error={address === '' || isLink(completeLink(address)) ? undefined : editorTexts.noLink}
      onChange={({ target }) => onChange(target.value.trimStart())}
      onBlur={() => completeLink(address) !== address && onChange(completeLink(address))}
    />
  );
}

const SIDES = [
  ['left', AlignLeft, editorTexts.alignLeft],
  ['center', AlignCenter, editorTexts.alignCenter],
  ['right', AlignRight, editorTexts.alignRight],
] as const;

export function AlignField({ label, value, onChange }: ValueProps<string>) {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-2">
      <span id={id}>{label}</span>
      <ToggleGroup.Root
        type="single"
        aria-labelledby={id}
        value={typeof value === 'string' ? value : 'left'}
        onValueChange={(side) => side !== '' && onChange(side)}
        className="inline-flex rounded-lg border border-line p-0.5"
      >
        {SIDES.map(([side, Icon, name]) => (
          <ToggleGroup.Item
            key={side}
            value={side}
            aria-label={name}
            title={name}
            className="grid size-7 place-items-center rounded-md pointer-coarse:size-10 text-soft data-[state=on]:bg-hover data-[state=on]:text-ink"
          >
            <Icon aria-hidden className="size-4" />
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
    </div>
  );
}

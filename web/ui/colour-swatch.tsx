import { classes } from './classes.ts';

const HEX = /^#[0-9a-f]{6}$/i;
/**
 * The browser's picker always has a colour and reports only a different one. While none is chosen it starts with this
 * one, which no one chooses, so that white can be chosen.
 */
const FIRST = '#fffffe';

interface ColourSwatchProps {
  id?: string;
  /** Null or text that is not a colour shows a crossed-out swatch. */
  value: string | null;
  onChange(colour: string): void;
  className?: string;
  'aria-label'?: string;
}

/** A swatch that opens the browser's colour picker. */
export function ColourSwatch({ value, onChange, className, ...input }: ColourSwatchProps) {
  const colour = value !== null && HEX.test(value) ? value : null;
  return (
    <span
      className={classes(
        'relative flex w-9 shrink-0 rounded-lg border border-edge/60 bg-raised p-1 hover:border-edge',
        'pointer-coarse:min-h-11 pointer-coarse:w-11',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass',
        className,
      )}
    >
      <span
        aria-hidden
        className="flex-1 rounded border border-line"
        style={{
          background:
            colour ??
            'linear-gradient(to top right, transparent calc(50% - 1px), var(--edge) calc(50% - 1px) calc(50% + 1px), transparent calc(50% + 1px))',
        }}
      />
      <input
        {...input}
        type="color"
        value={colour ?? FIRST}
        onChange={({ target }) => onChange(target.value)}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
    </span>
  );
}

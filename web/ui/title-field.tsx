import { useRef, type ReactNode, type RefObject } from 'react';
import { classes } from './classes.ts';
import { Field } from './field.tsx';

interface TitleFieldProps {
  label: string;
  placeholder: string;
  value: string;
  error?: string | undefined;
  /** The title itself, or the line below it. */
  size: 'title' | 'line';
  onChange(value: string): void;
  /** A control beside it, which may change the text at the caret. */
  aside?(field: RefObject<HTMLTextAreaElement | null>, change: (text: string) => void): ReactNode;
}

const LOOKS = {
  title: 'text-xl font-semibold tracking-tight sm:text-letter',
  line: 'text-base text-soft focus:text-ink',
};

/** A field without a frame that grows with its text. Enter does nothing, because a title has one line. */
export function TitleField(props: TitleFieldProps) {
  const { label, placeholder, value, error, size, onChange, aside } = props;
  const input = useRef<HTMLTextAreaElement>(null);
  const change = (text: string) => onChange(text.replaceAll(/\n+/g, ' '));
  return (
    <div className="group flex items-start gap-2">
      <Field bare label={label} {...(error === undefined ? {} : { error })} className="flex-1">
        {(described) => (
          <textarea
            ref={input}
            rows={1}
            dir="auto"
            placeholder={placeholder}
            value={value}
            onChange={({ target }) => change(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault();
            }}
            {...described}
            className={classes(
              '-mx-2 block field-sizing-content w-full pointer-coarse:min-h-10 resize-none rounded-md bg-transparent px-2 py-1',
              'hover:bg-panel focus:bg-panel focus:outline-none aria-invalid:bg-bad-tint',
              LOOKS[size],
            )}
          />
        )}
      </Field>
      {aside && (
        <span className="shrink-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 sm:opacity-60">
          {aside(input, change)}
        </span>
      )}
    </div>
  );
}

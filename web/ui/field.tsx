import { Switch as RadixSwitch } from 'radix-ui';
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from 'react';
import { classes } from './classes.ts';
import type { Options } from './options.ts';
import { controlClasses, controlHeight, Select, type SelectProps } from './select.tsx';

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string;
  /** The label is only read by screen readers. */
  bare?: boolean;
  className?: string;
}

interface Described {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldFrameProps extends FieldProps {
  /** A press on the label focuses the field. The browser would press a button instead. */
  isFocusedByLabel?: boolean;
  children(described: Described): ReactNode;
}

/** A label, a field, its hint and its error, connected for screen readers. */
export function Field({ label, hint, error, bare, className, isFocusedByLabel, children }: FieldFrameProps) {
  const id = useId();
  const notes = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(' ');
  return (
    <div className={classes('min-w-0', className)}>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <label
        htmlFor={id}
        className={bare ? 'sr-only' : 'mb-1.5 block font-medium'}
        onClick={(event) => {
          if (!isFocusedByLabel) return;
          event.preventDefault();
          document.getElementById(id)?.focus();
        }}
      >
        {label}
      </label>
      {children({ id, 'aria-describedby': notes || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-note text-soft">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-note text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type InputProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'className'> & { ref?: Ref<HTMLInputElement> };

export function TextField({ label, hint, error, bare, className, ...input }: InputProps) {
  return (
    <Field {...{ label, hint, error, bare, className }}>
      {(described) => (
        <input
          type="text"
          dir="auto"
          {...input}
          {...described}
          className={classes(controlClasses, controlHeight)}
        />
      )}
    </Field>
  );
}

type TextAreaProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className'> & {
    /** Uses a monospaced font, for code. */
    mono?: boolean;
  };

export function TextAreaField({ label, hint, error, bare, className, mono, ...input }: TextAreaProps) {
  return (
    <Field {...{ label, hint, error, bare, className }}>
      {(described) => (
        <textarea
          rows={4}
          dir="auto"
          {...(mono && { spellCheck: false })}
          {...input}
          {...described}
          className={classes(controlClasses, 'py-2 align-top', mono && 'font-mono text-note')}
        />
      )}
    </Field>
  );
}

export function optionsOf(things: readonly { id: string | number; name: string }[] = []): Options {
  return things.map(({ id, name }) => [String(id), name]);
}

type SelectFieldProps = FieldProps &
  Omit<SelectProps, 'id' | 'label' | 'className' | 'options'> & { options?: Options };

export function SelectField(props: SelectFieldProps) {
  const { label, hint, error, bare, className, options = [], ...select } = props;
  return (
    <Field {...{ label, hint, error, bare, className }} isFocusedByLabel>
      {(described) => <Select {...select} {...described} label={label} options={options} />}
    </Field>
  );
}

type CheckboxProps = { label: ReactNode; hint?: string } & Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'className' | 'type'
>;

export function CheckboxField({ label, hint, ...input }: CheckboxProps) {
  const id = useId();
  return (
    <label className="flex min-w-0 items-start gap-2.5 pointer-coarse:py-2.5">
      <input
        type="checkbox"
        {...input}
        aria-describedby={hint ? id : undefined}
        className="mt-0.5 size-4 shrink-0 accent-ink"
      />
      <span className="min-w-0">
        <span className="block">{label}</span>
        {hint && (
          <span id={id} className="block text-note text-soft">
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}

interface SwitchProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

export function SwitchField({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-note text-soft">
            {hint}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={classes(
          // The area around it belongs to it, so that it is easy to hit with a finger.
          'relative after:absolute after:-inset-x-2 after:-inset-y-2.5',
          'mt-0.5 h-5 w-9 shrink-0 rounded-full border border-edge bg-hover p-px transition-colors',
          'data-[state=checked]:border-ink data-[state=checked]:bg-ink disabled:opacity-55',
        )}
      >
        <RadixSwitch.Thumb className="block size-4 rounded-full bg-edge transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-paper" />
      </RadixSwitch.Root>
    </div>
  );
}

/** The behaviour of every form: it sends one request at a time, and shows the server's errors beside their fields. */
import { CircleAlert } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError } from '../api/client.ts';
import { describeError } from '../api/describe-error.ts';
import { showToast } from './toasts.ts';

export interface Submission {
  busy: boolean;
  error: unknown;
  onSubmit(event: FormEvent): void;
  /** Returns the error of this field, if any. The caller must show it. */
  errorOf(name: string): string | undefined;
  /** Returns the error that no field shows. Call it after `errorOf` of all fields. */
  errorBeside(): unknown;
}

export function useSubmission(run: () => Promise<unknown>): Submission {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useRef<HTMLElement>(null);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => void (isGone.current = true);
  }, []);
  useEffect(() => {
    // Moves the focus to the first field with an error, for keyboard and screen reader users.
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);

  async function submit(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await run();
    } catch (thrown) {
      // The user may have left the page.
      if (isGone.current) showToast(describeError(thrown), { tone: 'bad' });
      setError(thrown);
    }
    setBusy(false);
  }

  const issues = error instanceof ApiError ? error.issues : [];
  const shown = new Set<string>();
  const errorOf = (name: string) => {
    const issue = issues.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`));
    if (issue) shown.add(name);
    return issue && sentence(issue.message);
  };
  return {
    busy,
    error,
    onSubmit(event) {
      event.preventDefault();
      form.current = event.currentTarget as HTMLElement;
      if (!busy) void submit();
    },
    errorOf,
    errorBeside: () => (shown.size > 0 ? null : error),
  };
}

type NamesOf<Values, Type> = {
  [Name in keyof Values]: Values[Name] extends Type ? Name : never;
}[keyof Values] &
  string;

export interface Form<Values> extends Submission {
  values: Values;
  set(part: Partial<Values>): void;
  /** The properties of a text, select or number field. */
  text(name: NamesOf<Values, string>): {
    value: string;
    error: string | undefined;
    onChange(event: { target: { value: string } }): void;
  };
  /** The properties of a switch. */
  flag(name: NamesOf<Values, boolean>): { checked: boolean; onChange(checked: boolean): void };
}

/** The values of a form, under the names that the server's issues use, and the request that sends them. */
export function useForm<Values extends object>(
  start: Values | (() => Values),
  send: (values: Values) => Promise<unknown>,
): Form<Values> {
  const [values, setValues] = useState(start);
  const submission = useSubmission(() => send(values));
  const set = (part: Partial<Values>) => setValues((before) => ({ ...before, ...part }));
  const change = (name: string, value: unknown) => set({ [name]: value } as Partial<Values>);
  return {
    ...submission,
    values,
    set,
    text: (name) => ({
      value: values[name] as string,
      error: submission.errorOf(name),
      onChange: ({ target }) => change(name, target.value),
    }),
    flag: (name) => ({
      checked: values[name] as boolean,
      onChange: (checked) => change(name, checked),
    }),
  };
}

/** Returns whether the values differ from those that were last saved. */
export function useUnsaved(values: unknown): { isUnsaved: boolean; noteSaved(): void } {
  const now = JSON.stringify(values);
  const [saved, setSaved] = useState(now);
  return { isUnsaved: now !== saved, noteSaved: () => setSaved(now) };
}

/** The server's messages continue after the name of a field, such as "must not be empty". */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <p role="alert" className="mt-4 flex items-start gap-2 rounded-lg bg-bad-tint px-3 py-2 text-bad">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">{describeError(error)}</span>
    </p>
  );
}

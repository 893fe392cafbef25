/** What every form does: send once at a time, and show what the server found wrong beside the field it is about. */
import { CircleAlert } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError } from '../api/client.ts';
import { describeError } from '../api/describe-error.ts';

export interface Submission {
  busy: boolean;
  error: unknown;
  onSubmit(event: FormEvent): void;
  /** What is wrong with the field of this name, if anything. Who asks shows it. */
  errorOf(name: string): string | undefined;
  /** What is wrong and is shown at no field; to be asked after the fields. */
  errorBeside(): unknown;
}

export function useSubmission(run: () => Promise<unknown>): Submission {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who pressed the button by the keyboard, or does not see the page, goes on at what is to be mended.
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);

  async function submit(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await run();
    } catch (thrown) {
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

/** Whether a form holds something else than when it was last saved. */
export function useUnsaved(values: unknown): { isUnsaved: boolean; noteSaved(): void } {
  const now = JSON.stringify(values);
  const [saved, setSaved] = useState(now);
  return { isUnsaved: now !== saved, noteSaved: () => setSaved(now) };
}

/** The server's issues go on after the name of a field: "must not be empty". */
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

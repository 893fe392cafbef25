import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../texts/en.ts';
import { IconButton } from './button.tsx';
import { showToast } from './toasts.ts';

const CONFIRMED_MS = 1_500;

/** Copies the text and shows a toast, for a button with a text of its own. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(done);
  } catch {
    // Without https the browser has no clipboard API.
    showToast(texts.common.copyFailed, { tone: 'bad' });
  }
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      window.setTimeout(() => setCopied(false), CONFIRMED_MS);
    } catch {
      // Without https the browser has no clipboard API.
      showToast(texts.common.copyFailed, { tone: 'bad' });
    }
  }

  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={label} onClick={() => void copy()} />
      <span role="status" className="sr-only">
        {copied ? texts.common.copied : ''}
      </span>
    </>
  );
}

/** An ID among other facts, on one line. */
export function CopyId({ id, label }: { id: string; label: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1 *:[button]:-my-1.5">
      <code className="min-w-0 truncate text-note">{id}</code>
      <CopyButton text={id} label={label} />
    </span>
  );
}

interface CopyLineProps {
  text: string;
  /** The label of the button. */
  label: string;
  /** A heading above the line, for several of them below each other. */
  name?: string;
}

/** Shows a value in full on its own line, with a copy button. */
export function CopyLine({ text, label, name }: CopyLineProps) {
  const line = (
    <div className="flex items-start gap-1 rounded-lg border border-line bg-panel py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1.5 text-note break-all whitespace-pre-wrap">{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
  if (name === undefined) return line;
  return (
    <div>
      <p className="mb-1.5 font-medium">{name}</p>
      {line}
    </div>
  );
}

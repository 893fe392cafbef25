/** HTML or MJML, pasted or from a file. */
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { starterTexts } from '../../texts/en/starters.ts';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = starterTexts;
const MAX_BYTES = 2_000_000;

interface CodeFieldProps {
  value: string;
  error: string | undefined;
  onChange(code: string): void;
}

export function CodeField({ value, error, onChange }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);

  async function read(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > MAX_BYTES) showToast(t.tooLarge, { tone: 'bad' });
    else onChange(await file.text());
  }

  return (
    <div className="space-y-2">
      <TextAreaField
        label={t.codeLabel}
        hint={t.codeHint}
        rows={8}
        mono
        value={value}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
      <input
        ref={input}
        type="file"
        accept=".html,.htm,.mjml,text/html"
        className="hidden"
        aria-label={t.upload}
        onChange={({ target }) => {
          void read(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button size="small" icon={Upload} onClick={() => input.current!.click()}>
        {t.upload}
      </Button>
    </div>
  );
}

/** Returns the field of the API that takes this code. */
export function codeInput(code: string): { mjml: string } | { html: string } {
  return /<mjml[\s>]/i.test(code) ? { mjml: code } : { html: code };
}

/** A button beside a text that inserts a merge tag with its fallback at the caret. */
import { Braces } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import { CONTACT_TAGS } from '../../../src/features/audience/own-fields/own-fields.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Popup } from '../../ui/popup.tsx';

const t = campaignTexts;

interface InsertTagProps {
  label: string;
  /** The variables of the contact book. */
  variables: readonly string[];
  field: RefObject<HTMLTextAreaElement | null>;
  onChange(text: string): void;
}

export function InsertTag({ label, variables, field, onChange }: InsertTagProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState<string>(CONTACT_TAGS[0]);
  const [fallback, setFallback] = useState(editorTexts.friend);
  const names = [...new Set([...CONTACT_TAGS, ...variables])];

  function insert(): void {
    const input = field.current!;
    // Braces and commas have a meaning in a tag.
    const plain = fallback.replaceAll(/[{},]/g, '').trim();
    const tag = plain === '' ? `{{${name}}}` : `{{${name},fallback=${plain}}}`;
    const { selectionStart: from, selectionEnd: to, value } = input;
    onChange(value.slice(0, from) + tag + value.slice(to));
    setOpen(false);
    requestAnimationFrame(() => {
      input.focus();
      input.setSelectionRange(from + tag.length, from + tag.length);
    });
  }

  return (
    <Popup
      open={isOpen}
      onClose={() => setOpen(false)}
      button={button}
      label={label}
      className="w-72"
      anchor={
        <IconButton
          ref={button}
          icon={Braces}
          label={label}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      }
    >
      <form
        className="space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          insert();
        }}
      >
        <SelectField
          label={t.tag}
          value={name}
          options={names.map((each) => [each, each])}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={t.tagFallback}
          hint={t.tagFallbackHint}
          maxLength={100}
          value={fallback}
          onChange={({ target }) => setFallback(target.value)}
        />
        <Button type="submit" look="primary" className="w-full">
          {t.tagInsert}
        </Button>
      </form>
    </Popup>
  );
}

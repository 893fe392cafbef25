import { useState } from 'react';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { TextAreaField } from '../../../ui/field.tsx';

const p = automationPanelTexts;

interface JsonFieldProps {
  label: string;
  hint?: string;
  value: object | null;
  onChange(value: Record<string, unknown> | null): void;
}

/** An object as JSON. What is not JSON stays in the field, with an error. */
export function JsonField({ label, hint, value, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => (value ? JSON.stringify(value, null, 2) : ''));
  const read = readObject(text);
  return (
    <TextAreaField
      label={label}
      hint={hint}
      mono
      rows={5}
      value={text}
      {...(read === undefined ? { error: p.dataError } : {})}
      onChange={({ target }) => {
        setText(target.value);
        const object = readObject(target.value);
        if (object !== undefined) onChange(object);
      }}
    />
  );
}

/** Returns undefined for text that is not an object, and null for none. */
function readObject(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

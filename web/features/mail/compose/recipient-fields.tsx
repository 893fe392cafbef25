import { useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import type { ComposeContent } from './compositions.ts';
import { RecipientsField } from './recipients-field.tsx';

const t = mailTexts.compose;

interface RecipientFieldsProps {
  mailboxId: string;
  content: ComposeContent;
  change(part: Partial<ComposeContent>): void;
  autoFocus: boolean;
}

/** Shows To, and Cc and Bcc once they are requested or have recipients. */
export function RecipientFields({ mailboxId, content, change, autoFocus }: RecipientFieldsProps) {
  const [shown, setShown] = useState({ cc: content.cc.length > 0, bcc: content.bcc.length > 0 });
  const extra = [
    { name: 'cc', label: t.cc, add: t.addCc },
    { name: 'bcc', label: t.bcc, add: t.addBcc },
  ] as const;
  return (
    <>
      <RecipientsField
        mailboxId={mailboxId}
        label={t.to}
        people={content.to}
        change={(to) => change({ to })}
        autoFocus={autoFocus}
      >
        <span className="flex shrink-0 gap-2 pt-1 text-[0.8125rem] text-soft pointer-coarse:gap-0 pointer-coarse:pt-2.5">
          {extra.map(
            ({ name, add }) =>
              !shown[name] && (
                <button
                  key={name}
                  type="button"
                  className="hover:text-ink pointer-coarse:-my-3 pointer-coarse:px-2 pointer-coarse:py-3"
                  onClick={() => setShown({ ...shown, [name]: true })}
                >
                  {add}
                </button>
              ),
          )}
        </span>
      </RecipientsField>
      {extra.map(
        ({ name, label }) =>
          shown[name] && (
            <RecipientsField
              key={name}
              mailboxId={mailboxId}
              label={label}
              people={content[name]}
              change={(people) => change({ [name]: people })}
              autoFocus={content[name].length === 0}
            />
          ),
      )}
    </>
  );
}

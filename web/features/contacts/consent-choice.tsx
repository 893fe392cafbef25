import { useId } from 'react';
import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { classes } from '../../ui/classes.ts';
import { TextAreaField } from '../../ui/field.tsx';

const t = contactTexts.import.consent;
const CONSENTS = ['confirmed', 'ask', 'none'] as const;

export interface ChosenConsent {
  /** Null until the user has chosen. */
  consent: ContactImport['consent'] | null;
  note: string;
}

interface ConsentChoiceProps {
  chosen: ChosenConsent;
  /** Whether missing choices are marked. */
  showMissing: boolean;
  onChange(chosen: ChosenConsent): void;
}

/** Asked for books with double opt-in. Nothing is preselected, because each choice has consequences for people. */
export function ConsentChoice({ chosen, showMissing, onChange }: ConsentChoiceProps) {
  const id = useId();
  const isUnchosen = showMissing && chosen.consent === null;
  const error = showMissing && isConsentMissing(chosen) ? t.missingNote : undefined;
  return (
    <fieldset
      role="radiogroup"
      aria-required
      aria-invalid={isUnchosen || undefined}
      aria-describedby={isUnchosen ? `${id}-missing` : undefined}
      className="mt-6"
    >
      <legend className="font-semibold">{t.legend}</legend>
      <p className="mb-3 text-soft">{t.lead}</p>
      <div
        className={classes(
          'divide-y divide-line rounded-xl border',
          isUnchosen ? 'border-bad' : 'border-line',
        )}
      >
        {CONSENTS.map((consent) => (
          <div key={consent} className="px-4 py-3">
            <label className="flex items-start gap-2.5">
              <input
                type="radio"
                name={id}
                checked={chosen.consent === consent}
                aria-describedby={`${id}-${consent}`}
                onChange={() => onChange({ ...chosen, consent })}
                className="mt-0.5 size-4 shrink-0 accent-ink"
              />
              <span className="font-medium">{t[consent].label}</span>
            </label>
            <p id={`${id}-${consent}`} className="mt-0.5 pl-6.5 text-[0.8125rem] text-soft">
              {t[consent].hint}
            </p>
            {consent === 'confirmed' && chosen.consent === consent && (
              <TextAreaField
                className="mt-3 pl-6.5"
                label={t.note}
                hint={t.noteHint}
                rows={2}
                maxLength={1_000}
                required
                error={error}
                value={chosen.note}
                onChange={({ target: { value } }) => onChange({ ...chosen, note: value })}
              />
            )}
          </div>
        ))}
      </div>
      {isUnchosen && (
        <p id={`${id}-missing`} role="alert" className="mt-1.5 text-[0.8125rem] text-bad">
          {t.missing}
        </p>
      )}
    </fieldset>
  );
}

export function isConsentMissing({ consent, note }: ChosenConsent): boolean {
  return consent === null || (consent === 'confirmed' && note.trim() === '');
}

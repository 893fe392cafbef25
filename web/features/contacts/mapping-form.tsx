/** Asks for the columns of a file and the consent of its people, then uploads it. */
import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { refresh } from '../../api/query-client.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { focusHeading } from '../../ui/focus-heading.ts';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { ColumnTable } from './column-table.tsx';
import { findDoubled, findDoubledProperty, guessTargets, toMapping } from './column-mapping.ts';
import { ConsentChoice, isConsentMissing, type ChosenConsent } from './consent-choice.tsx';
import type { CsvHead } from './read-header.ts';
import { uploadCsv } from './upload-csv.ts';

const t = contactTexts.import;

export interface ChosenFile {
  file: File;
  head: CsvHead;
}

interface MappingFormProps {
  book: ContactBook;
  chosen: ChosenFile;
  onStarted(importId: string): void;
  onBack(): void;
}

export function MappingForm({ book, chosen: { file, head }, onStarted, onBack }: MappingFormProps) {
  const [targets, setTargets] = useState(() => guessTargets(head.columns, head.rows));
  const [chosenConsent, setChosenConsent] = useState<ChosenConsent>({ consent: null, note: '' });
  const [sent, setSent] = useState(0);
  // The button is always enabled. Pressing it shows what is missing.
  const [tries, setTries] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const upload = useRef<AbortController>(null);
  useEffect(() => () => upload.current?.abort(), []);
  useEffect(() => {
    if (tries > 0) focusFirstProblem(form.current);
  }, [tries]);

  const { consent, note } = chosenConsent;
  const { busy, error, onSubmit } = useSubmission(async () => {
    const input = {
      mapping: toMapping(head.columns, targets, book.variables),
      consent: consent ?? undefined,
      consentNote: consent === 'confirmed' ? note.trim() : undefined,
    };
    upload.current = new AbortController();
    const started = await uploadCsv(book.id, file, input, setSent, upload.current.signal);
    await refresh('imports', book.id);
    onStarted(started.id);
  });
  const doubled = findDoubled(head.columns, targets);
  const sameProperty = findDoubledProperty(head.columns, targets);
  const problem = findProblem();
  const needsConsent = book.doubleOptInEnabled && isConsentMissing(chosenConsent);

  function findProblem(): string | null {
    if (doubled !== undefined) return t.doubled(doubled);
    if (sameProperty !== undefined) return t.sameProperty(sameProperty);
    return targets.includes('email') ? null : t.needsEmail;
  }

  function submit(event: FormEvent): void {
    if (problem === null && !needsConsent) return onSubmit(event);
    event.preventDefault();
    setTries(tries + 1);
  }

  if (busy) {
    return (
      <>
        <AskBeforeLeaving isUnsaved text={t.leaveText} />
        <ProgressBar label={t.uploading} share={sent} />
      </>
    );
  }
  return (
    <form ref={form} noValidate onSubmit={submit}>
      <h2 ref={focusHeading} tabIndex={-1} className="mb-3 font-semibold outline-none">
        {t.mapping} <span className="font-normal text-soft">({file.name})</span>
      </h2>
      <ColumnTable
        head={head}
        targets={targets}
        problem={problem}
        variables={book.variables}
        isWrong={(index) => {
          const wrong = doubled ?? sameProperty;
          return wrong === undefined ? index === 0 : head.columns[index] === wrong;
        }}
        onChange={setTargets}
      />
      {book.doubleOptInEnabled && (
        <ConsentChoice chosen={chosenConsent} showMissing={tries > 0} onChange={setChosenConsent} />
      )}
      <FormError error={error} />
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" look="primary">
          {t.start}
        </Button>
        <Button onClick={onBack}>{t.another}</Button>
      </div>
    </form>
  );
}

function focusFirstProblem(form: HTMLFormElement | null): void {
  const marked = form?.querySelector<HTMLElement>('[aria-invalid]');
  const field = marked?.matches('[role=radiogroup]') ? marked.querySelector<HTMLElement>('input') : marked;
  field?.focus();
}

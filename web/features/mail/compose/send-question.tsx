import { teamTexts } from '../../../texts/en/mail-team.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialogs/dialog.tsx';
import type { Question } from './composer-state.ts';

const t = mailTexts.compose;

/** Asks whether to send the message without a subject, or with merge tags that are not filled in. */
export function SendQuestion({ question, answer }: { question: Question; answer(isYes: boolean): void }) {
  if (question.about === 'changed')
    return (
      <Dialog title={teamTexts.changedTitle} onClose={() => answer(false)}>
        <p>{teamTexts.changedText(question.count)}</p>
        <DialogActions>
          <Button onClick={() => answer(true)}>{t.sendAnyway}</Button>
          <Button look="primary" autoFocus onClick={() => answer(false)}>
            {teamTexts.readFirst}
          </Button>
        </DialogActions>
      </Dialog>
    );
  const isAboutTags = question.about === 'tags';
  return (
    <Dialog title={isAboutTags ? t.unfilledTitle : t.noSubject} onClose={() => answer(false)}>
      {isAboutTags && <p>{t.unfilledText(question.tags.map((name) => `{{${name}}}`).join(', '))}</p>}
      <DialogActions>
        <Button onClick={() => answer(true)}>{isAboutTags ? t.sendAsWritten : t.sendAnyway}</Button>
        <Button look="primary" autoFocus onClick={() => answer(false)}>
          {isAboutTags ? t.editTags : t.writeSubject}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

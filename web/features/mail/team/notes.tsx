/** Notes in a conversation. They look unlike messages, because nobody outside may ever see them. */
import { NotebookPen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ThreadNote } from '../../../../src/features/mailboxes/teamwork/notes.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { teamTexts as t } from '../../../texts/en/mail-team.ts';
import { texts } from '../../../texts/en.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { useSession } from '../../people/session.ts';
import { textToHtml } from '../compose/answer-content.ts';
import { exactTime, shortTime } from '../parts/mail-time.ts';
import { act, useColleagues, type Colleague } from './team-api.ts';

const NOTE = 'rounded-xl border border-brass/60 bg-warn-tint px-4 py-3 print:hidden';

export function NoteCard({ mailboxId, note }: { mailboxId: string; note: ThreadNote }) {
  const { user } = useSession();
  const name = note.author.name ?? t.someone;
  return (
    <section aria-label={t.noteOf(name)} className={NOTE}>
      <div className="flex items-center gap-2 text-[0.8125rem] text-soft">
        <NotebookPen aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 flex-1 truncate">{t.noteOf(name)}</span>
        <time dateTime={note.created_at} title={exactTime(note.created_at)}>
          {shortTime(note.created_at)}
        </time>
        {note.author.user_id === user.id && (
          <IconButton
            icon={Trash2}
            label={t.deleteNote}
            onClick={() => void act(mailboxId, () => sendJson('DELETE', `/notes/${note.id}`))}
          />
        )}
      </div>
      <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
        {plainOf(note.html)}
      </p>
    </section>
  );
}

/** Notes are shown as text, so that nothing in them can act on the page. */
function plainOf(html: string): string {
  const parsed = new DOMParser().parseFromString(html.replaceAll(/<br\s?\/?>|<\/p>/g, '\n'), 'text/html');
  return parsed.body.textContent.trim();
}

interface NoteFormProps {
  mailboxId: string;
  threadId: string;
}

export function NoteForm({ mailboxId, threadId }: NoteFormProps) {
  const [text, setText] = useState<string | null>(null);
  const people = useColleagues(mailboxId);
  if (text === null)
    return (
      <Button icon={NotebookPen} onClick={() => setText('')}>
        {t.writeNote}
      </Button>
    );
  return (
    <form
      className={`w-full space-y-2 ${NOTE}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        void act(mailboxId, () =>
          sendJson('POST', `/threads/${threadId}/notes`, {
            html: textToHtml(text.trim()),
            mentions: mentionsIn(text, people),
          }),
        ).then((isDone) => isDone && setText(null));
      }}
    >
      <TextAreaField
        autoFocus
        label={t.noteField}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="primary" size="small">
          {t.saveNote}
        </Button>
        <Button size="small" onClick={() => setText(null)}>
          {texts.common.cancel}
        </Button>
      </div>
    </form>
  );
}

/** People are mentioned by `@` and their name, or its first word. */
function mentionsIn(text: string, people: readonly Colleague[]): string[] {
  const words = text.toLowerCase();
  return people
    .filter(({ name }) => {
      const whole = name.toLowerCase();
      return [whole, whole.split(' ')[0]!].some((each) => each !== '' && words.includes(`@${each}`));
    })
    .map(({ user_id }) => user_id);
}

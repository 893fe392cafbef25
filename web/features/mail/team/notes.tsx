/** Notes in a conversation. They look unlike messages, because nobody outside may ever see them. */
import { NotebookPen, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ThreadNote } from '../../../../src/features/mailboxes/teamwork/notes.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { teamTexts as t } from '../../../texts/en/mail-team.ts';
import { texts } from '../../../texts/en.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { useSession } from '../../people/session.ts';
import { textToHtml } from '../compose/answer-content.ts';
import { exactTime, shortTime } from '../parts/mail-time.ts';
import { act, useColleagues, type Colleague } from '../live/team-api.ts';

const NOTE = 'rounded-xl border border-brass/60 bg-warn-tint px-4 py-3 print:hidden';

export function NoteCard({ mailboxId, note }: { mailboxId: string; note: ThreadNote }) {
  const { user } = useSession();
  const name = note.author.name ?? t.someone;
  const [isEditing, setIsEditing] = useState(false);
  return (
    <section aria-label={t.noteOf(name)} className={NOTE}>
      <div className="flex items-center gap-2 text-[0.8125rem] text-soft">
        <NotebookPen aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 flex-1 truncate">{t.noteOf(name)}</span>
        <time dateTime={note.created_at} title={exactTime(note.created_at)}>
          {shortTime(note.created_at)}
        </time>
        {note.author.user_id === user.id && !isEditing && (
          <>
            <IconButton icon={Pencil} label={actionTexts.editNote} onClick={() => setIsEditing(true)} />
            <IconButton icon={Trash2} label={t.deleteNote} onClick={() => void deleteNote(mailboxId, note)} />
          </>
        )}
      </div>
      {isEditing ? (
        <NoteEditor
          mailboxId={mailboxId}
          start={plainOf(note.html)}
          save={(written) => sendJson('PATCH', `/notes/${note.id}`, written)}
          onClose={() => setIsEditing(false)}
        />
      ) : (
        <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
          {plainOf(note.html)}
        </p>
      )}
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
  const [isWriting, setIsWriting] = useState(false);
  if (!isWriting)
    return (
      <Button
        data-write-note
        icon={NotebookPen}
        aria-keyshortcuts="Shift+N"
        onClick={() => setIsWriting(true)}
      >
        {t.writeNote}
      </Button>
    );
  return (
    <div className={`w-full ${NOTE}`}>
      <NoteEditor
        mailboxId={mailboxId}
        start=""
        save={(written) => sendJson('POST', `/threads/${threadId}/notes`, written)}
        onClose={() => setIsWriting(false)}
      />
    </div>
  );
}

interface NoteEditorProps {
  mailboxId: string;
  start: string;
  save(written: { html: string; mentions: string[] }): Promise<unknown>;
  onClose(): void;
}

function NoteEditor({ mailboxId, start, save, onClose }: NoteEditorProps) {
  const [text, setText] = useState(start);
  const people = useColleagues(mailboxId);
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        const written = { html: textToHtml(text.trim()), mentions: mentionsIn(text, people) };
        void act(mailboxId, () => save(written)).then((isDone) => isDone && onClose());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
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
        <Button size="small" onClick={onClose}>
          {texts.common.cancel}
        </Button>
      </div>
    </form>
  );
}

/** Nobody is notified again when the deletion is undone. */
async function deleteNote(mailboxId: string, note: ThreadNote): Promise<void> {
  const isDone = await act(mailboxId, () => sendJson('DELETE', `/notes/${note.id}`));
  if (!isDone) return;
  const again = () => sendJson('POST', `/threads/${note.thread_id}/notes`, { html: note.html });
  showToast(actionTexts.noteDeleted, {
    action: { label: texts.common.undo, run: () => void act(mailboxId, again) },
  });
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

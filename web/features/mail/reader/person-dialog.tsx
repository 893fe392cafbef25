/** What the team knows about the author of a message. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PersonProfile } from '../../../../src/features/mailboxes/people/people.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { act } from '../../../ui/act.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { personQuery } from '../arrival/arrival-api.ts';

const t = arrivalTexts.person;

interface PersonDialogProps {
  mailboxId: string;
  email: string;
  onClose(): void;
}

export function PersonDialog({ mailboxId, email, onClose }: PersonDialogProps) {
  const person = useQuery(personQuery(email));
  const { data } = person;
  const block = async () => {
    await sendJson('POST', `/mailboxes/${mailboxId}/blocks`, { entry: email });
    await refresh(...personQuery(email).queryKey);
  };
  return (
    <Dialog title={data?.names[0] ?? email} description={email} onClose={onClose}>
      {person.isError ? (
        <ErrorState error={person.error} retry={() => void person.refetch()} />
      ) : data ? (
        <div className="space-y-4">
          <Notes person={data} />
          <Known person={data} onClose={onClose} />
          {!data.blocked_in.includes(mailboxId) && (
            <Button look="quietDanger" icon={Ban} onClick={() => void act(block, { done: t.blocked })}>
              {t.block}
            </Button>
          )}
        </div>
      ) : (
        <Skeleton className="h-40" />
      )}
    </Dialog>
  );
}

function Notes({ person }: { person: PersonProfile }) {
  const form = useForm({ notes: person.notes }, async ({ notes }) => {
    await sendJson('PUT', `/people/${encodeURIComponent(person.email)}`, { notes });
    await refresh(...personQuery(person.email).queryKey);
    showToast(t.saved);
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-2">
      <TextAreaField label={t.notes} hint={t.notesHint} rows={3} maxLength={10_000} {...form.text('notes')} />
      <Button type="submit" size="small" busy={form.busy} disabled={form.values.notes === person.notes}>
        {t.save}
      </Button>
    </form>
  );
}

function Known({ person, onClose }: { person: PersonProfile; onClose(): void }) {
  const { contacts, threads, campaigns, automations } = person;
  if (contacts.length + threads.length + campaigns.length + automations.length === 0)
    return <p className="text-soft">{t.nothing}</p>;
  return (
    <>
      <Part title={t.contacts}>
        {contacts.map((contact) => (
          <li key={contact.id}>
            {contact.contact_book}{' '}
            <span className="text-soft">({contact.subscribed ? t.subscribed : t.unsubscribed})</span>
          </li>
        ))}
      </Part>
      <Part title={t.threads}>
        {threads.map((thread) => (
          <li key={thread.id} className="truncate">
            <Link
              to="/mail/$mailboxId/$folder/$threadId"
              params={{ mailboxId: thread.mailbox_id, folder: 'inbox', threadId: thread.id }}
              search={{}}
              onClick={onClose}
              className="underline underline-offset-2"
            >
              {thread.subject || '—'}
            </Link>
          </li>
        ))}
      </Part>
      <Part title={t.campaigns}>
        {campaigns.map(({ id, name, opened, clicked }) => (
          <li key={id}>
            {name}{' '}
            <span className="text-soft">
              {[opened && t.opened, clicked && t.clicked].filter(Boolean).join(', ')}
            </span>
          </li>
        ))}
      </Part>
      <Part title={t.automations}>
        {automations.map(({ id, name, started_at: at }) => (
          <li key={`${id} ${at}`}>{name}</li>
        ))}
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      <ul className="text-[0.8125rem]">{children}</ul>
    </section>
  );
}

/** What the team knows about the author of a message. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, OctagonAlert } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { PersonProfile } from '../../../../src/features/mailboxes/people/people.schema.ts';
import type { BlockedSender } from '../../../../src/features/mailboxes/blocks/blocks.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { texts } from '../../../texts/en.ts';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { act } from '../../../ui/act.ts';
import { Button } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { hideToast, showToast } from '../../../ui/toasts.ts';
import { blocksQuery, personQuery } from '../arrival/arrival-api.ts';

const t = arrivalTexts.person;
const a = actionTexts.block;

interface PersonFactsProps {
  mailbox: Mailbox;
  email: string;
  /** Runs when a link leads to another conversation. */
  onLeave?: (() => void) | undefined;
}

export function PersonFacts({ mailbox, email, onLeave }: PersonFactsProps) {
  const person = useQuery(personQuery(email));
  const { data } = person;
  if (person.isError) return <ErrorState error={person.error} retry={() => void person.refetch()} />;
  if (!data) return <Skeleton className="h-40" />;
  return (
    <div key={email} className="space-y-4">
      <Notes person={data} />
      <Known person={data} onLeave={onLeave} />
      {mayBlock(mailbox) && <BlockButtons mailboxId={mailbox.id} person={data} />}
    </div>
  );
}

/** As the server decides about the settings of a mailbox. */
function mayBlock({ access, role }: Mailbox): boolean {
  return role === 'manage' || (role === 'reply' && access === 'team');
}

interface BlockButtonsProps {
  mailboxId: string;
  person: PersonProfile;
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

function Known({ person, onLeave }: { person: PersonProfile; onLeave: PersonFactsProps['onLeave'] }) {
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
            <Values properties={contact.properties} />
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
              onClick={onLeave}
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

/** Blocks the person in this mailbox, or ends that. Both can be undone. */
function BlockButtons({ mailboxId, person: { email, blocked_in: blockedIn } }: BlockButtonsProps) {
  const { queryKey } = blocksQuery(mailboxId);
  const isBlocked = blockedIn.includes(mailboxId);
  const { data: blocks = [] } = useQuery({ ...blocksQuery(mailboxId), enabled: isBlocked });
  const path = `/mailboxes/${mailboxId}/blocks`;
  const own = blocks.find(({ entry }) => entry === email.toLowerCase());
  const refreshAll = async () => {
    await refresh(...queryKey);
    await refresh(...personQuery(email).queryKey);
  };
  const offer = useRef<number | null>(null);
  const unblock = async (id: string) => {
    // What the toast offers would find nothing any more.
    if (offer.current !== null) hideToast(offer.current);
    await sendJson('DELETE', `${path}/${id}`);
    await refreshAll();
  };
  const add = (action: BlockedSender['action']) =>
    sendJson<BlockedSender>('POST', path, { entry: email, action });
  const block = async (action: BlockedSender['action']) => {
    try {
      const { id } = await add(action);
      await refreshAll();
      offer.current = showToast(action === 'spam' ? t.blocked : a.rejected, {
        action: {
          label: texts.common.undo,
          run: () => void act(() => unblock(id)),
        },
      });
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
  };
  if (isBlocked && own)
    return (
      <Button
        icon={CircleCheck}
        onClick={() =>
          void act(() => unblock(own.id), {
            done: a.unblocked,
            undo: () => add(own.action).then(refreshAll),
          })
        }
      >
        {a.unblock}
      </Button>
    );
  // It is blocked by an entry for the domain, which the settings of the mailbox show.
  if (isBlocked) return <p className="text-soft">{a.blockedByDomain}</p>;
  return (
    <Menu
      align="start"
      trigger={
        <Button look="quietDanger" icon={Ban}>
          {t.block}
        </Button>
      }
    >
      <MenuItem icon={OctagonAlert} onSelect={() => void block('spam')}>
        {a.toSpam}
      </MenuItem>
      <MenuItem icon={Ban} onSelect={() => void block('reject')}>
        {a.reject}
      </MenuItem>
    </Menu>
  );
}

const MOST_VALUES = 8;

function Values({ properties }: { properties: Record<string, unknown> }) {
  const values = Object.entries(properties).filter(([, value]) => value !== null && value !== '');
  if (values.length === 0) return null;
  return (
    <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 text-soft">
      {values.slice(0, MOST_VALUES).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="truncate">{name}</dt>
          <dd className="truncate text-ink">{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

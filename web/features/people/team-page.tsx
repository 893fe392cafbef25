import { useQuery } from '@tanstack/react-query';
import { Mail, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Invitation, Member } from '../../../src/features/identity/people/members.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { membersQuery } from '../../api/members.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Section } from '../../ui/page.tsx';
import { Row, RowName, Rows } from '../../ui/lists/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { Select } from '../../ui/select.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { rolesFor, type Role } from './roles.ts';
import { useIsAdmin, useSession } from './session.ts';

const t = peopleTexts.team;

export function TeamPage() {
  const isAdmin = useIsAdmin();
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={
        isAdmin && {
          label: t.invite,
          icon: UserPlus,
          dialog: (close) => <InviteDialog onClose={close} />,
        }
      }
    >
      <Section title={t.members}>
        <Members />
      </Section>
      {isAdmin && (
        <Section title={t.invitations}>
          <Invitations />
        </Section>
      )}
    </ListPage>
  );
}

function Members() {
  const [removed, setRemoved] = useState<Member | null>(null);
  const members = useQuery(membersQuery);
  return (
    <>
      <Rows label={t.members} query={members} items={(items) => items} empty={null}>
        {(member) => <MemberRow key={member.id} member={member} remove={() => setRemoved(member)} />}
      </Rows>
      {removed && (
        <ConfirmDialog
          title={t.removeTitle(removed.name)}
          text={t.removeText}
          action={t.remove}
          run={() => deleteAndRefresh(`/members/${removed.id}`, 'members')}
          done={t.removed}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

function MemberRow({ member, remove }: { member: Member; remove(): void }) {
  const session = useSession();
  const isAdmin = useIsAdmin();
  const isSelf = member.email === session.user.email;
  const mayChange = isAdmin && !isSelf && (session.role === 'owner' || member.role !== 'owner');
  return (
    <Row>
      <RowName
        name={isSelf ? `${member.name} (${t.you})` : member.name}
        note={
          <>
            {member.email}
            {isAdmin && !member.proven && (
              <>
                {' · '}
                <span title={t.unprovenHint}>{t.unproven}</span>
              </>
            )}
            {member.lastSeenAt && (
              <>
                {' · '}
                {t.lastSeen} <Time at={member.lastSeenAt} />
              </>
            )}
          </>
        }
      />
      {mayChange ? (
        <>
          <RoleChoice member={member} own={session.role} />
          <Button size="small" look="quiet" onClick={remove}>
            {t.remove}
          </Button>
        </>
      ) : (
        <span className="text-soft">{peopleTexts.roles[member.role]}</span>
      )}
    </Row>
  );
}

function RoleChoice({ member, own }: { member: Member; own: Role }) {
  const change = (role: string) =>
    act(() => sendJson('PATCH', `/members/${member.id}`, { role }), {
      done: t.roleChanged,
      refreshes: ['members'],
    });
  return (
    <Select
      label={t.changeRoleOf(member.name)}
      aria-label={t.changeRoleOf(member.name)}
      value={member.role}
      onChange={(event) => void change(event.target.value)}
      className="w-32"
      options={rolesFor(own).map((role) => [role, peopleTexts.roles[role]])}
    />
  );
}

function Invitations() {
  const invitations = useQuery({
    queryKey: ['invitations'],
    queryFn: () => getJson<{ items: Invitation[] }>('/invitations'),
  });
  const withdraw = (id: string) =>
    act(() => sendJson('DELETE', `/invitations/${id}`), { done: t.withdrawn, refreshes: ['invitations'] });
  return (
    <Rows
      label={t.invitations}
      query={invitations}
      items={({ items }) => items}
      empty={<EmptyState icon={Mail} title={t.noInvitations} action={<CreateFirst>{t.first}</CreateFirst>} />}
    >
      {({ id, email, role, expiresAt }) => (
        <Row key={id}>
          <RowName
            name={email}
            note={
              <>
                {peopleTexts.roles[role]} · {t.expires} <Time at={expiresAt} precise />
              </>
            }
          />
          <Button size="small" look="quiet" onClick={() => void withdraw(id)}>
            {t.withdraw}
          </Button>
        </Row>
      )}
    </Rows>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Mail, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { getJson, sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Row, RowName, Rows } from '../../ui/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { InviteDialog } from './invite-dialog.tsx';
import type { Invitation, Member } from '../../../src/features/people/members.schema.ts';
import type { Role } from './people-types.ts';
import { useIsAdmin, useSession } from './session.ts';

const t = texts.people.team;

export function TeamPage() {
  const isAdmin = useIsAdmin();
  const [inviting, setInviting] = useState(false);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={
        isAdmin && (
          <Button look="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            {t.invite}
          </Button>
        )
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
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}

function Members() {
  const queryClient = useQueryClient();
  const session = useSession();
  const isAdmin = useIsAdmin();
  const [removing, setRemoving] = useState<Member | null>(null);
  const members = useQuery({
    queryKey: ['members'],
    queryFn: () => getJson<{ items: Member[] }>('/members'),
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['members'] });

  async function changeRole(member: Member, role: Role): Promise<void> {
    try {
      await sendJson('PATCH', `/members/${member.id}`, { role });
      showToast(t.roleChanged);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await refresh();
  }

  return (
    <>
      <Rows label={t.members} query={members} items={({ items }) => items} empty={null}>
        {({ items }) =>
          items.map((member) => {
            const isSelf = member.email === session.user.email;
            const mayChange = isAdmin && !isSelf && (session.role === 'owner' || member.role !== 'owner');
            return (
              <Row key={member.id}>
                <RowName
                  name={isSelf ? `${member.name} (${t.you})` : member.name}
                  note={
                    <>
                      {member.email}
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
                    <select
                      aria-label={t.changeRoleOf(member.name)}
                      value={member.role}
                      onChange={(event) => void changeRole(member, event.target.value as Role)}
                      className="h-8 rounded-lg border border-line bg-raised px-2"
                    >
                      {rolesFor(session.role).map((role) => (
                        <option key={role} value={role}>
                          {texts.people.roles[role]}
                        </option>
                      ))}
                    </select>
                    <Button size="small" look="quiet" onClick={() => setRemoving(member)}>
                      {t.remove}
                    </Button>
                  </>
                ) : (
                  <span className="text-soft">{texts.people.roles[member.role]}</span>
                )}
              </Row>
            );
          })
        }
      </Rows>
      {removing && (
        <ConfirmDialog
          title={t.removeTitle(removing.name)}
          action={t.remove}
          onClose={() => setRemoving(null)}
          run={async () => {
            await sendJson('DELETE', `/members/${removing.id}`);
            await refresh();
            showToast(t.removed);
          }}
        >
          <p>{t.removeText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Only owners make owners. */
function rolesFor(own: Role): Role[] {
  return own === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member'];
}

function Invitations() {
  const queryClient = useQueryClient();
  const invitations = useQuery({
    queryKey: ['invitations'],
    queryFn: () => getJson<{ items: Invitation[] }>('/invitations'),
  });

  async function withdraw(id: string): Promise<void> {
    try {
      await sendJson('DELETE', `/invitations/${id}`);
      showToast(t.withdrawn);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await queryClient.invalidateQueries({ queryKey: ['invitations'] });
  }

  return (
    <Rows
      label={t.invitations}
      query={invitations}
      items={({ items }) => items}
      empty={<EmptyState icon={Mail} title={t.noInvitations} />}
    >
      {({ items }) =>
        items.map((invitation) => (
          <Row key={invitation.id}>
            <RowName
              name={invitation.email}
              note={
                <>
                  {texts.people.roles[invitation.role]} · {t.expires}{' '}
                  <Time at={invitation.expiresAt} precise />
                </>
              }
            />
            <Button size="small" look="quiet" onClick={() => void withdraw(invitation.id)}>
              {t.withdraw}
            </Button>
          </Row>
        ))
      }
    </Rows>
  );
}

/**
 * Reads and changes who has access to a mailbox. What access means is decided in src/features/api/mailbox-access.ts.
 * Whoever loses access loses it at once: app passwords are deleted, assignments end, and open sessions are told.
 */
import { sql } from 'kysely';
import { inTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireAccessRights } from '../../api/mailbox-access.ts';
import { recordAccessChange } from '../../events/live-updates.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { switchOffAssigning } from '../storage/switch-off-rules.ts';
import { reachColumns, reachesDomain, type ReachRow } from '../mailboxes/find-mailbox.ts';
import { endAssignments } from './end-assignments.ts';
import { listReaders } from './readers.ts';
import type { MailboxAccess, MailboxAccessInput } from './access.schema.ts';

type AccessRow = Row<'mailbox_access', 'role' | 'user_id'> & Row<'users', 'name' | 'email'>;

export async function getAccess(db: Db, caller: Caller, mailboxId: string): Promise<MailboxAccess> {
  const { id, access_mode } = await requireAccess(db, caller, mailboxId, 'read');
  return presentAccess(db, caller.teamId, id, access_mode);
}

async function presentAccess(
  db: Db,
  teamId: number,
  mailboxKey: string,
  mode: MailboxAccess['mode'],
): Promise<MailboxAccess> {
  const { rows } = await sql<AccessRow>`
    select a.user_id, a.role, u.name, u.email from mailbox_access a join users u on u.id = a.user_id
    where a.team_id = ${teamId} and a.mailbox_id = ${mailboxKey} order by lower(coalesce(u.name, u.email)), u.id
  `.execute(db);
  return {
    mode,
    people: rows.map(({ user_id, name, email, role }) => ({
      user_id: encodeId('usr', user_id),
      name,
      email,
      role,
    })),
  };
}

/** Replaces the list. */
export async function changeAccess(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { mode, people }: MailboxAccessInput,
): Promise<MailboxAccess> {
  return inTransaction(db, async (trx) => {
    const { id, access_mode } = await requireAccess(trx, caller, mailboxId, 'change');
    const before = await presentAccess(trx, caller.teamId, id, access_mode);
    const readersBefore = (await listReaders(trx, caller.teamId, id)).keys();
    const wanted = people.map(({ user_id, role }) => ({ user_id: decodeId('usr', user_id), role }));
    await requireMembers(
      trx,
      caller.teamId,
      wanted.map(({ user_id }) => user_id),
    );
    await sql`
      update mailboxes set access_mode = ${mode}, updated_at = now() where team_id = ${caller.teamId} and id = ${id}
    `.execute(trx);
    await sql`delete from mailbox_access where team_id = ${caller.teamId} and mailbox_id = ${id}`.execute(
      trx,
    );
    await sql`
      insert into mailbox_access (team_id, mailbox_id, user_id, role)
      select ${caller.teamId}, ${id}, p.user_id, p.role
      from json_to_recordset(${toJson(wanted)}::json) as p (user_id uuid, role text)
    `.execute(trx);
    await endLostAccess(trx, caller, id, readersBefore);
    await recordAccessChange(trx, { teamId: caller.teamId, mailboxId: id });
    const after = { mode, people: people.map(({ user_id, role }) => ({ user_id, role })) };
    await recordActivity(trx, caller, [
      {
        mailboxId: id,
        threadId: null,
        type: 'access_changed',
        data: {
          before: { ...before, people: before.people.map(({ user_id, role }) => ({ user_id, role })) },
          after,
        },
      },
    ]);
    return presentAccess(trx, caller.teamId, id, mode);
  });
}

/** For other features that give access, such as by an API key. */
export function requireChangeableAccess(trx: Db, caller: Caller, mailboxId: string): Promise<FoundMailbox> {
  return requireAccess(trx, caller, mailboxId, 'change');
}

type FoundMailbox = ReachRow & Row<'mailboxes', 'id'>;

/** Locks the mailbox for a change, so that concurrent ones are made one after the other. */
async function requireAccess(
  db: Db,
  caller: Caller,
  mailboxId: string,
  to: 'read' | 'change',
): Promise<FoundMailbox> {
  const { rows } = await sql<FoundMailbox>`
    select box.id, ${reachColumns(caller)} from mailboxes box
    where box.team_id = ${caller.teamId} and box.id = ${decodeId('mbx', mailboxId)}
    ${to === 'change' ? sql`for no key update` : sql``}
  `.execute(db);
  const row = rows[0];
  if (!row || !(await reachesDomain(db, caller, row.domain))) throw notFound('Mailbox');
  requireAccessRights(caller, row, to);
  return row;
}

async function requireMembers(trx: Db, teamId: number, userIds: (string | null)[]): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from memberships where team_id = ${teamId} and user_id = any(${userIds}::uuid[])
  `.execute(trx);
  if (rows[0]!.count !== userIds.length) throw badRequest('people must be members of your team.');
}

/** Deletes what people had by access that they no longer have. Open sessions of app passwords check their access. */
async function endLostAccess(
  trx: Db,
  caller: Caller,
  mailboxKey: string,
  readersBefore: Iterable<string>,
): Promise<void> {
  const { teamId } = caller;
  const readers = [...(await listReaders(trx, teamId, mailboxKey)).keys()];
  await sql`
    delete from app_passwords p using mailboxes box
    where p.team_id = ${teamId} and p.mailbox_id = ${mailboxKey} and box.team_id = p.team_id and box.id = p.mailbox_id
      and case when p.user_id is null then box.access_mode <> 'team' else p.user_id <> all(${readers}::uuid[]) end
  `.execute(trx);
  await endAssignments(trx, caller, sql`mailbox_id = ${mailboxKey} and user_id <> all(${readers}::uuid[])`);
  const lost = [...readersBefore].filter((userId) => !readers.includes(userId));
  await switchOffAssigning(
    trx,
    { teamId, mailboxId: mailboxKey },
    lost.map((userId) => encodeId('usr', userId)),
  );
  await sql`
    delete from thread_snoozes
    where team_id = ${teamId} and mailbox_id = ${mailboxKey} and user_id <> all(${readers}::uuid[])
  `.execute(trx);
  // The trigger app_password_changed tells all processes, which then read the role again.
  await sql`
    update app_passwords set mailbox_id = mailbox_id where team_id = ${teamId} and mailbox_id = ${mailboxKey}
  `.execute(trx);
}

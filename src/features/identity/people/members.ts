/** The members of a team. A team never loses its last owner, and only owners can manage owners. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import { endAssignments } from '../../mailboxes/access/end-assignments.ts';
import { switchOffAssigning } from '../../mailboxes/storage/switch-off-rules.ts';
import type { Member } from './members.schema.ts';

type MemberRow = Row<'users', 'id' | 'email' | 'name' | 'proven_at'> &
  Row<'memberships', 'role' | 'created_at' | 'last_seen_at'>;

function selectMembers(db: Db, teamId: number) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.name', 'u.proven_at', 'm.role', 'm.created_at', 'm.last_seen_at'])
    .where('m.team_id', '=', teamId);
}

export async function listMembers(db: Db, teamId: number): Promise<Member[]> {
  const rows = await selectMembers(db, teamId).orderBy('m.created_at').orderBy('u.id').execute();
  return rows.map(present);
}

export async function changeRole(
  db: Db,
  teamId: number,
  caller: Caller,
  memberId: string,
  role: Role,
): Promise<Member> {
  return inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    const member = await getMember(trx, teamId, memberId);
    if (member.role === role) return present(member);
    if (member.role === 'owner' || role === 'owner') requireOwner(caller);
    if (member.role === 'owner') await requireAnotherOwner(trx, teamId, member.id);
    await trx
      .updateTable('memberships')
      .set({ role })
      .where('team_id', '=', teamId)
      .where('user_id', '=', member.id)
      .execute();
    return present({ ...member, role });
  });
}

/** Removes a member and their sessions in the team. A user without any team left is deleted. */
export async function removeMember(db: Db, teamId: number, caller: Caller, memberId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    const member = await getMember(trx, teamId, memberId);
    if (member.role === 'owner') {
      requireOwner(caller);
      await requireAnotherOwner(trx, teamId, member.id);
    }
    // Serialises with joinTeam, which may be adding this user to another team.
    await sql`select from users where id = ${member.id} for update`.execute(trx);
    await endAssignments(trx, caller, sql`user_id = ${member.id}`);
    await switchOffAssigning(trx, { teamId }, [memberId]);
    await trx
      .deleteFrom('memberships')
      .where('team_id', '=', teamId)
      .where('user_id', '=', member.id)
      .execute();
    // A new person of the provider may get the address.
    await sql`
      delete from identities i using team_sign_on s
      where i.user_id = ${member.id} and s.team_id = ${teamId} and i.issuer = s.issuer`.execute(trx);
    await sql`
      delete from users u where u.id = ${member.id}
        and not exists (select from memberships m where m.user_id = u.id)`.execute(trx);
  });
}

/** Serialises changes to a team's owners. */
export async function lockTeam(trx: Db, teamId: number): Promise<void> {
  const { rows } = await sql`select id from teams where id = ${teamId} for no key update`.execute(trx);
  if (rows.length === 0) throw notFound('Team');
}

/** API keys have admin rights only. Otherwise an admin could create a key to act as an owner. */
export function requireOwner({ person }: Caller): void {
  if (person?.role !== 'owner') throw new AppError('FORBIDDEN', 'Only owners can manage owners.');
}

async function getMember(trx: Db, teamId: number, memberId: string): Promise<MemberRow> {
  const id = decodeId('usr', memberId);
  const row = id && (await selectMembers(trx, teamId).where('u.id', '=', id).executeTakeFirst());
  if (!row) throw notFound('Member');
  return row;
}

async function requireAnotherOwner(trx: Db, teamId: number, id: string): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  if (!other) throw conflict('A team needs at least one owner. Make someone else an owner first.');
}

function present(row: MemberRow): Member {
  return {
    id: encodeId('usr', row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    proven: row.proven_at !== null,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

/** The people of a team. It always has an owner once it had one, and only owners decide about owners. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { AppError, conflict, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Caller, Role } from '../../platform/route.ts';
import type { Member } from './members.schema.ts';

interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: string;
  created_at: Date;
  last_seen_at: Date | null;
}

function selectMembers(db: Db, teamId: number) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.name', 'm.role', 'm.created_at', 'm.last_seen_at'])
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

/** Takes someone out of the team, with their sessions in it. Who is in no team any more is forgotten. */
export async function removeMember(db: Db, teamId: number, caller: Caller, memberId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    const member = await getMember(trx, teamId, memberId);
    if (member.role === 'owner') {
      requireOwner(caller);
      await requireAnotherOwner(trx, teamId, member.id);
    }
    // Against joining another team at the same moment.
    await sql`select from users where id = ${member.id} for update`.execute(trx);
    await trx
      .deleteFrom('memberships')
      .where('team_id', '=', teamId)
      .where('user_id', '=', member.id)
      .execute();
    await sql`
      delete from users u where u.id = ${member.id}
        and not exists (select from memberships m where m.user_id = u.id)`.execute(trx);
  });
}

/** Whoever changes who owns the team stands in line here. */
export async function lockTeam(trx: Db, teamId: number): Promise<void> {
  const { rows } = await sql`select id from teams where id = ${teamId} for no key update`.execute(trx);
  if (rows.length === 0) throw notFound('Team');
}

/** A key can do what an admin can: otherwise an admin could make one and do more with it. */
export function requireOwner({ person }: Caller): void {
  if (person?.role !== 'owner') throw new AppError('FORBIDDEN', 'Only an owner decides about owners.');
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
  if (!other) throw conflict('A team needs an owner: make someone else one first.');
}

function present(row: MemberRow): Member {
  return {
    id: encodeId('usr', row.id),
    email: row.email,
    name: row.name,
    role: row.role as Role,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

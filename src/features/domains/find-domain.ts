/** What other features ask about domains. */
import { statement, type Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';

export async function getDomainName(db: Db, teamId: number, domainId: number): Promise<string> {
  const row = await db
    .selectFrom('domains')
    .select('name')
    .where('team_id', '=', teamId)
    .where('id', '=', domainId)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  return row.name;
}

export async function findDomainId(db: Db, teamId: number, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id;
}

/** The domain of this name (A-labels, lower case) if the team holds it: once found right, and not lost for good. */
export async function findHeldDomain(db: Db, teamId: number, name: string): Promise<number | undefined> {
  return (await findSendingDomain(db, teamId, name))?.id;
}

/** The same, with what applies to mail from it. */
export async function findSendingDomain(
  db: Db,
  teamId: number,
  name: string,
): Promise<{ id: number; tracksOpens: boolean; tracksClicks: boolean } | undefined> {
  const [row] = await statement<{ id: number; tracksOpens: boolean; tracksClicks: boolean }>(db)`
    select id, open_tracking as "tracksOpens", click_tracking as "tracksClicks" from domains
    where team_id = ${teamId} and name = ${name} and held`;
  return row;
}

/** The first made of the domains that the team holds. */
export async function findOldestHeldDomain(db: Db, teamId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('domains')
    .select('name')
    .where('team_id', '=', teamId)
    .where('held', '=', true)
    .orderBy('id')
    .executeTakeFirst();
  return row?.name;
}

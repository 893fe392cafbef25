/** What other features ask about domains. */
import { statement, type Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { createGatherer } from '../../platform/gather.ts';
import type { Row } from '../../platform/rows.ts';

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
): Promise<SendingDomain | undefined> {
  return findSendingDomains(db, { teamId, name });
}

interface SendingDomain {
  id: Row<'domains'>['id'];
  tracksOpens: Row<'domains'>['open_tracking'];
  tracksClicks: Row<'domains'>['click_tracking'];
}

const findSendingDomains = createGatherer<{ teamId: number; name: string }, SendingDomain | undefined>({
  keyOf: ({ teamId }) => String(teamId),
  async work(db, wanted) {
    const names = wanted.map(({ name }) => name);
    const rows = await statement<SendingDomain & Row<'domains', 'name'>>(db)`
      select name, id, open_tracking as "tracksOpens", click_tracking as "tracksClicks" from domains
      where team_id = ${wanted[0].teamId} and name = any(${[...new Set(names)]}::text[]) and held`;
    const found = new Map(rows.map(({ name, ...domain }) => [name, domain]));
    return names.map((name) => found.get(name));
  },
});

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

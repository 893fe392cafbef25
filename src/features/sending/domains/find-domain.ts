/** Lookups of domains for other features. */
import { statement, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import type { Row } from '../../../platform/database/rows.ts';

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

/** Lists the newest first, like the list of domains. */
export async function listDomainNames(db: Db, teamId: number): Promise<Row<'domains', 'id' | 'name'>[]> {
  return db
    .selectFrom('domains')
    .select(['id', 'name'])
    .where('team_id', '=', teamId)
    .orderBy('id', 'desc')
    .execute();
}

/** Returns the ID of this domain (A-labels, lower case) if the team holds it: verified once, and not failed since. */
export async function findHeldDomain(db: Db, teamId: number, name: string): Promise<number | undefined> {
  return (await findSendingDomain(db, teamId, name))?.id;
}

/** Whether this instance handles the mail of the domain (A-labels, lower case). */
export async function isHeldByAnyTeam(db: Db, name: string): Promise<boolean> {
  const query = db.selectFrom('domains').select('id').where('name', '=', name).where('held', '=', true);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Like findHeldDomain, with the tracking settings. */
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
  /** The host of its links. Null for that of BASE_URL. */
  linkHost: string | null;
}

const findSendingDomains = createBatcher<{ teamId: number; name: string }, SendingDomain | undefined>({
  keyOf: ({ teamId }) => String(teamId),
  async work(db, requests) {
    const names = requests.map(({ name }) => name);
    const rows = await statement<SendingDomain & Row<'domains', 'name'>>(db)`
      select name, id, open_tracking as "tracksOpens", click_tracking as "tracksClicks",
        case when tracking_status = 'ACTIVE' then tracking_subdomain || '.' || name end as "linkHost"
      from domains
      where team_id = ${requests[0].teamId} and name = any(${[...new Set(names)]}::text[]) and held`;
    const found = new Map(rows.map(({ name, ...domain }) => [name, domain]));
    return names.map((name) => found.get(name));
  },
});

/** Returns the host of the links in emails from this domain. Null for that of BASE_URL. */
export async function findLinkHost(db: Db, teamId: number, name: string): Promise<string | null> {
  return (await findSendingDomain(db, teamId, name))?.linkHost ?? null;
}

/** Returns the oldest domain that the team holds. */
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

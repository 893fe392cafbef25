/** Sending domains. */
import type { Db } from '../../platform/database.ts';
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

/** Whether the team holds this name (A-labels, lower case) verified. */
export async function isVerifiedDomain(db: Db, teamId: number, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .where('status', '=', 'SUCCESS')
    .executeTakeFirst();
  return row !== undefined;
}

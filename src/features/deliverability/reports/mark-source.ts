/** People confirm the sources that send for their domain, and disown the others. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { conflict } from '../../../platform/errors.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
import type { MarkedSource } from './reports.schema.ts';

const MAX_MARKS = 1_000;

/** With `confirmed` null, the reports decide again. */
export async function markSource(
  db: Db,
  caller: Caller,
  domainId: number,
  mark: MarkedSource,
): Promise<MarkedSource> {
  keepToDomain(caller, domainId);
  const { teamId } = caller;
  const { name, kind, confirmed } = mark;
  await inTransaction(db, async (trx) => {
    await getDomainName(trx, teamId, domainId);
    if (confirmed === null) {
      await trx
        .deleteFrom('dmarc_source_marks')
        .where('team_id', '=', teamId)
        .where('domain_id', '=', domainId)
        .where('kind', '=', kind)
        .where('source', '=', name)
        .execute();
      return;
    }
    await sql`
      insert into dmarc_source_marks (team_id, domain_id, kind, source, is_confirmed)
      values (${teamId}, ${domainId}, ${kind}, ${name}, ${confirmed})
      on conflict (team_id, domain_id, kind, source) do update set is_confirmed = excluded.is_confirmed
    `.execute(trx);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from dmarc_source_marks
      where team_id = ${teamId} and domain_id = ${domainId}
    `.execute(trx);
    if (rows[0]!.count > MAX_MARKS) throw conflict(`A domain has at most ${MAX_MARKS} marked sources.`);
  });
  return mark;
}

type Mark = Row<'dmarc_source_marks', 'kind' | 'source' | 'is_confirmed'>;

/** Returns the marks by `markKey`. */
export async function readMarks(db: Db, teamId: number, domainId: number): Promise<Map<string, boolean>> {
  const rows: Mark[] = await db
    .selectFrom('dmarc_source_marks')
    .select(['kind', 'source', 'is_confirmed'])
    .where('team_id', '=', teamId)
    .where('domain_id', '=', domainId)
    .execute();
  return new Map(rows.map(({ kind, source, is_confirmed }) => [markKey(kind, source), is_confirmed]));
}

export function markKey(kind: string, name: string): string {
  return `${kind} ${name}`;
}

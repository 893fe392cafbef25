/** Answers to challenges of ACME servers (RFC 8555 section 8.3), which every process gives. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

/** An order has failed long before. */
const KEPT_HOURS = 1;

export async function findChallengeAnswer(db: Db, token: string): Promise<string | null> {
  const row = await db
    .selectFrom('acme_challenges')
    .select('answer')
    .where('token', '=', token)
    .executeTakeFirst();
  return row?.answer ?? null;
}

export function storeChallenges(db: Db) {
  return {
    async put(token: string, answer: string): Promise<void> {
      await sql`
        delete from acme_challenges where created_at < now() - make_interval(hours => ${KEPT_HOURS}::integer)
      `.execute(db);
      await db
        .insertInto('acme_challenges')
        .values({ token, answer })
        .onConflict((conflict) => conflict.column('token').doUpdateSet({ answer }))
        .execute();
    },
    async remove(token: string): Promise<void> {
      await db.deleteFrom('acme_challenges').where('token', '=', token).execute();
    },
  };
}

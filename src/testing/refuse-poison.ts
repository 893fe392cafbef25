/** A database that will not take some rows, however often they come: what tells of an event with "poison" in it. */
import { sql } from 'kysely';
import type { Db } from '../platform/database.ts';

/** Until the function that it answers is called. */
export async function refusePoison(db: Db): Promise<() => Promise<void>> {
  await sql`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin raise exception 'not this' using errcode = 'untranslatable_character'; end $$`.execute(db);
  await sql`
    create trigger refuse_poison before insert on email_events for each row
    when (new.data::text like '%poison%') execute function refuse_poison()`.execute(db);
  return async () => {
    await sql`drop function refuse_poison cascade`.execute(db);
  };
}

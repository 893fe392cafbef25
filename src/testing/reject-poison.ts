/** Makes the database permanently reject rows of events that contain "poison". */
import { sql } from 'kysely';
import type { Db } from '../platform/database/database.ts';

/** Returns a function that undoes this. */
export async function rejectPoison(db: Db): Promise<() => Promise<void>> {
  await sql`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin raise exception 'not this' using errcode = 'untranslatable_character'; end $$`.execute(db);
  await sql`
    create trigger refuse_poison before insert on events for each row
    when (new.data::text like '%poison%') execute function refuse_poison()`.execute(db);
  return async () => {
    await sql`drop function refuse_poison cascade`.execute(db);
  };
}

/**
 * Guessing is slow: 10 failures in 15 minutes, for one account and for one place alike, and then nothing is looked
 * at until the 15 minutes are over. An attempt is counted before it is made and taken back when it was right, so a
 * thousand guesses at once are no way around it. Kept in the database: all processes count together.
 */
import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { AppError } from '../../platform/errors.ts';

const MAX_FAILURES = 10;
const WINDOW_MINUTES = 15;

export interface Attempt {
  /** It was no guess, but proves nothing yet. */
  takeBack(): Promise<void>;
  /** It was right: the account starts anew. Its place does not, or an account of one's own would be a way around. */
  succeed(): Promise<void>;
}

/** `db` is never a transaction here: what was counted stays counted when the attempt fails. */
export async function beginAttempt(db: Db, emailKey: string, ip: string | null): Promise<Attempt> {
  const account = sha256(`account ${emailKey}`);
  const place = ip === null ? null : sha256(`place ${ip}`);
  const subjects = place ? [account, place] : [account];
  const { rows } = await sql<{ failures: number; seconds: number }>`
    insert into sign_in_failures as f (subject, failures, window_ends_at)
    select subject, 1, now() + make_interval(mins => ${WINDOW_MINUTES})
    from unnest(${subjects}::bytea[]) as s (subject) order by subject
    on conflict (subject) do update set
      failures = case when f.window_ends_at <= now() then 1 else least(f.failures, ${MAX_FAILURES}) + 1 end,
      window_ends_at = case when f.window_ends_at <= now() then excluded.window_ends_at else f.window_ends_at end
    returning failures, ceil(extract(epoch from window_ends_at - now()))::integer as seconds
  `.execute(db);
  const over = rows.filter(({ failures }) => failures > MAX_FAILURES);
  if (over.length > 0) {
    const retryAfterSeconds = Math.max(1, ...over.map(({ seconds }) => seconds));
    throw new AppError(
      'RATE_LIMITED',
      'Too many attempts failed. Wait as long as Retry-After says, then try again.',
      { retryAfterSeconds },
    );
  }

  async function uncount(counted: Buffer[]): Promise<void> {
    if (counted.length === 0) return;
    await sql`
      update sign_in_failures set failures = greatest(failures - 1, 0)
      where subject in (
        select subject from sign_in_failures where subject = any(${counted}::bytea[]) order by subject for update
      )
    `.execute(db);
  }
  return {
    takeBack: () => uncount(subjects),
    async succeed() {
      await uncount(place ? [place] : []);
      await db.deleteFrom('sign_in_failures').where('subject', '=', account).execute();
    },
  };
}

/**
 * Guessing is slow: 10 failures in 15 minutes from one place, 100 for one account from all places together, and then
 * nothing is looked at until the 15 minutes are over. What a place tries after its 10 does not count for the account:
 * whoever knows an address cannot close it to its owner from one place. An attempt is counted before it is made and
 * taken back when it was right, so a thousand guesses at once are no way around it. Kept in the database: all processes
 * count together.
 */
import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { AppError } from '../../platform/errors.ts';
import { placeOf } from '../../platform/place.ts';

const MAX_FAILURES = 10;
const MAX_FAILURES_OF_ACCOUNT = 100;
const MAX_REQUESTS = 3;
const WINDOW_MINUTES = 15;

export interface Attempt {
  /** It was no guess, but proves nothing yet. */
  takeBack(): Promise<void>;
  /** It was right: the account starts anew. Its place does not, or an account of one's own would be a way around. */
  succeed(): Promise<void>;
}

/** `db` is never a transaction here: what was counted stays counted when the attempt fails. Null: who is signed in. */
export async function beginAttempt(db: Db, emailKey: string, ip: string | null): Promise<Attempt> {
  const account = sha256(`account ${emailKey}`);
  const place = sha256(ip === null ? `inside ${emailKey}` : `place ${placeOf(ip)}`);
  await countFailure(db, place, MAX_FAILURES);
  await countFailure(db, account, MAX_FAILURES_OF_ACCOUNT);
  return {
    takeBack: () => uncount(db, [account, place]),
    async succeed() {
      await uncount(db, [place]);
      await forget(db, account);
    },
  };
}

/** Of a code, by who knows the password: nobody else can use these up, and codes are short. */
export async function beginCodeAttempt(db: Db, emailKey: string): Promise<Pick<Attempt, 'succeed'>> {
  const codes = sha256(`codes ${emailKey}`);
  await countFailure(db, codes, MAX_FAILURES);
  return { succeed: () => forget(db, codes) };
}

async function countFailure(db: Db, subject: Buffer, most: number): Promise<void> {
  await count(db, [{ subject, most }], 'Too many attempts failed.');
}

async function uncount(db: Db, subjects: Buffer[]): Promise<void> {
  await sql`
    update sign_in_failures set failures = greatest(failures - 1, 0)
    where subject in (
      select subject from sign_in_failures where subject = any(${subjects}::bytea[]) order by subject for update
    )
  `.execute(db);
}

async function forget(db: Db, subject: Buffer): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('subject', '=', subject).execute();
}

/** Asking for mail is counted whatever comes of it, apart from the guesses: it must lock nobody out. */
export async function countRequest(db: Db, emailKey: string, ip: string): Promise<void> {
  const limits = [
    { subject: sha256(`request for account ${emailKey}`), most: MAX_REQUESTS },
    { subject: sha256(`request from place ${placeOf(ip)}`), most: MAX_FAILURES },
  ];
  await count(db, limits, 'This was asked for too often.');
}

async function count(db: Db, limits: { subject: Buffer; most: number }[], refusal: string): Promise<void> {
  // A window that ends later than a new one would is of a time before the clock of the database was set back.
  const isOver = sql`f.window_ends_at not between now() and excluded.window_ends_at`;
  const { rows } = await sql<{ isOver: boolean; seconds: number }>`
    with counted as (select * from unnest(
      ${limits.map(({ subject }) => subject)}::bytea[], ${limits.map(({ most }) => most)}::integer[]
    ) as s (subject, most)), moved as (
      insert into sign_in_failures as f (subject, failures, window_ends_at)
      select subject, 1, now() + make_interval(mins => ${WINDOW_MINUTES}) from counted order by subject
      on conflict (subject) do update set
        failures = case when ${isOver} then 1 else least(f.failures, ${MAX_FAILURES_OF_ACCOUNT}) + 1 end,
        window_ends_at = case when ${isOver} then excluded.window_ends_at else f.window_ends_at end
      returning subject, failures, window_ends_at
    )
    select failures > most as "isOver", ceil(extract(epoch from window_ends_at - now()))::integer as seconds
    from moved join counted using (subject)
  `.execute(db);
  const over = rows.filter(({ isOver }) => isOver);
  if (over.length === 0) return;
  throw new AppError('RATE_LIMITED', `${refusal} Wait as long as Retry-After says, then try again.`, {
    retryAfterSeconds: Math.max(1, ...over.map(({ seconds }) => seconds)),
  });
}

/**
 * Rate limits for signing in. An attempt from a browser or network that the account knows (known-places.ts) counts for
 * this place and account alone: 10 failures in 15 minutes. All other attempts share 10 failures from one network, and
 * 100 for one account from all networks. So nobody can lock a person out of the places where they usually sign in.
 * Further attempts are rejected until the window ends. Rejected attempts from a network do not count against the
 * account. An attempt is counted before it is made and taken back on success, so concurrent guesses cannot get around
 * the limit. The counters are in the database, shared by all processes.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/network/client-network.ts';
import type { Visitor } from '../../api/caller.ts';
import { queueAttempt } from './attempt-queue.ts';
import { findKnownPlace } from './known-places.ts';

const MAX_FAILURES = 10;
const MAX_FAILURES_OF_ACCOUNT = 100;
const MAX_REQUESTS = 3;
const MAX_INVITATIONS_TO_ADDRESS = 5;
const MAX_INVITATIONS_OF_TEAM = 50;
const WINDOW_MINUTES = 15;

export interface SignInAttempt {
  /** Uncounts an attempt that was not a guess, without resetting the account's counter. */
  takeBack(): Promise<void>;
  /**
   * Resets the account's counter and uncounts the attempt for the network. The network's other failures stay, or an
   * attacker could reset them by signing in to an account of their own.
   */
  succeed(): Promise<void>;
  /** Counts a two-factor code. */
  beginCode(): Promise<Pick<SignInAttempt, 'succeed'>>;
}

/**
 * Runs one attempt to sign in, in the queue of its network. `db` must not be a transaction, because the count must
 * survive a failed attempt.
 */
export async function withAttempt<Result>(
  db: Db,
  emailKey: string,
  visitor: Visitor,
  work: (attempt: SignInAttempt) => Promise<Result>,
): Promise<Result> {
  const known = await findKnownPlace(db, emailKey, visitor);
  const place = known
    ? sha256(`account ${emailKey} from ${known.place.toString('hex')}`)
    : sha256(`place ${networkOf(visitor.ip)}`);
  return queueAttempt(place, known !== null, async () => {
    await countFailure(db, place, MAX_FAILURES);
    if (known) {
      const succeed = () => resetCount(db, place);
      const beginCode = () => beginCodeAttempt(db, `${emailKey} from ${known.place.toString('hex')}`);
      return work({ takeBack: () => uncount(db, [place]), succeed, beginCode });
    }
    const account = sha256(`account ${emailKey}`);
    await countFailure(db, account, MAX_FAILURES_OF_ACCOUNT);
    return work({
      takeBack: () => uncount(db, [account, place]),
      async succeed() {
        await uncount(db, [place]);
        await resetCount(db, account);
      },
      beginCode: () => beginCodeAttempt(db, emailKey),
    });
  });
}

/**
 * Runs a check of the password for a person who is signed in. It is counted apart from attempts to sign in, so that
 * these cannot keep the person from changing their account.
 */
export async function withAttemptInside<Result>(
  db: Db,
  emailKey: string,
  work: (attempt: Pick<SignInAttempt, 'takeBack'>) => Promise<Result>,
): Promise<Result> {
  const inside = sha256(`inside ${emailKey}`);
  return queueAttempt(inside, true, async () => {
    await countFailure(db, inside, MAX_FAILURES);
    return work({ takeBack: () => uncount(db, [inside]) });
  });
}

/** Counts two-factor codes apart from passwords: only someone who knows the password gets here, and codes are short. */
async function beginCodeAttempt(db: Db, subject: string): Promise<Pick<SignInAttempt, 'succeed'>> {
  const codes = sha256(`codes ${subject}`);
  await countFailure(db, codes, MAX_FAILURES);
  return { succeed: () => resetCount(db, codes) };
}

async function countFailure(db: Db, subject: Buffer, allowed: number): Promise<void> {
  await count(db, [{ subject, allowed }], 'Too many failed attempts.');
}

async function uncount(db: Db, subjects: Buffer[]): Promise<void> {
  await sql`
    update sign_in_failures set failures = greatest(failures - 1, 0)
    where subject in (
      select subject from sign_in_failures where subject = any(${subjects}::bytea[]) order by subject for update
    )
  `.execute(db);
}

async function resetCount(db: Db, subject: Buffer): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('subject', '=', subject).execute();
}

/** Counts every request for a password reset email, apart from sign-in attempts: it must not lock anyone out. */
export async function countRequest(db: Db, emailKey: string, ip: string): Promise<void> {
  const limits = [
    { subject: sha256(`request for account ${emailKey}`), allowed: MAX_REQUESTS },
    { subject: sha256(`request from place ${networkOf(ip)}`), allowed: MAX_FAILURES },
  ];
  await count(db, limits, 'Too many requests.');
}

/** Counts every emailed invitation, so that a team can neither flood an address nor send advertisements this way. */
export async function countInvitation(db: Db, teamId: number, emailKey: string): Promise<void> {
  const limits = [
    { subject: sha256(`invitation to ${emailKey}`), allowed: MAX_INVITATIONS_TO_ADDRESS },
    { subject: sha256(`invitation of team ${teamId}`), allowed: MAX_INVITATIONS_OF_TEAM },
  ];
  await count(db, limits, 'Too many invitations.');
}

/**
 * Counts a wrong app password, apart from sign-ins: a phone that keeps an old password must not stop its owner from
 * signing in. The limits are those of sign-ins. A correct password is neither counted nor rejected, because app
 * passwords cannot be guessed.
 */
export async function countWrongAppPassword(db: Db, addressKey: string, ip: string): Promise<void> {
  const limits = [
    { subject: sha256(`app password from place ${networkOf(ip)}`), allowed: MAX_FAILURES },
    { subject: sha256(`app password of ${addressKey}`), allowed: MAX_FAILURES_OF_ACCOUNT },
  ];
  await count(db, limits, 'Too many failed attempts.');
}

async function count(db: Db, limits: { subject: Buffer; allowed: number }[], refusal: string): Promise<void> {
  // A window that ends later than a new one dates from before the database's clock was set back. The clock is read
  // when the row is checked, because now() is earlier than a window that a statement began while this one waited.
  const isOver = sql`f.window_ends_at not between
    clock_timestamp() and clock_timestamp() + make_interval(mins => ${WINDOW_MINUTES})`;
  const { rows } = await sql<{ isOver: boolean; seconds: number }>`
    with counted as (select * from unnest(
      ${limits.map(({ subject }) => subject)}::bytea[], ${limits.map(({ allowed }) => allowed)}::integer[]
    ) as s (subject, allowed)), moved as (
      insert into sign_in_failures as f (subject, failures, window_ends_at)
      select subject, 1, now() + make_interval(mins => ${WINDOW_MINUTES}) from counted order by subject
      on conflict (subject) do update set
        failures = case when ${isOver} then 1 else least(f.failures, ${MAX_FAILURES_OF_ACCOUNT}) + 1 end,
        window_ends_at = case when ${isOver} then excluded.window_ends_at else f.window_ends_at end
      returning subject, failures, window_ends_at
    )
    select failures > allowed as "isOver", ceil(extract(epoch from window_ends_at - now()))::integer as seconds
    from moved join counted using (subject)
  `.execute(db);
  const over = rows.filter(({ isOver }) => isOver);
  if (over.length === 0) return;
  const retryAfterSeconds = Math.max(1, ...over.map(({ seconds }) => seconds));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  throw new AppError('RATE_LIMITED', `${refusal} Try again in ${wait}.`, { retryAfterSeconds });
}

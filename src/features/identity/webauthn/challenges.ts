/**
 * Challenges of passkeys. A challenge carries its own proof: when it expires, random bytes, and a MAC of both with its
 * purpose and the person or session that it was made for. So any process can check it and none has to store it. Once
 * somebody has answered a challenge, right or wrong, it is stored as used and works no more. Times are those of the
 * database, which all processes share.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { deriveKey, sha256 } from '../../../platform/crypto.ts';
import { databaseNow, type Db } from '../../../platform/database/database.ts';

export const CHALLENGE_MS = 5 * 60_000;
/** A used challenge is kept for longer than it is valid, in case the database's clock is set back. */
const KEPT_HOURS = 24;
const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;

/** What a challenge is for. Its answer counts for nothing else. */
export type ChallengeUse =
  | { purpose: 'register'; sessionId: string }
  | { purpose: 'second-factor'; userId: string }
  | { purpose: 'sign-in' };

export async function createChallenge(db: Db, secret: Buffer, use: ChallengeUse): Promise<string> {
  const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
  head.writeUIntBE((await databaseNow(db)).getTime() + CHALLENGE_MS, 0, TIME_BYTES);
  randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES);
  return Buffer.concat([head, macOf(secret, use, head)]).toString('base64url');
}

/** Returns false if the challenge is not ours, for something else, too old, or used. It is used afterwards. */
export async function consumeChallenge(
  db: Db,
  secret: Buffer,
  use: ChallengeUse,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url');
  if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES) return false;
  const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(secret, use, head))) return false;
  const expiresAt = new Date(head.readUIntBE(0, TIME_BYTES));
  const { numAffectedRows } = await sql`
    insert into used_challenges (challenge_hash, kept_until)
    select ${sha256(bytes)}, ${expiresAt}::timestamptz + make_interval(hours => ${KEPT_HOURS})
    where ${expiresAt}::timestamptz > now()
    on conflict (challenge_hash) do nothing`.execute(db);
  return Number(numAffectedRows) === 1;
}

/** The worker runs this periodically. */
export async function dropUsedChallenges(db: Db): Promise<void> {
  await sql`delete from used_challenges where kept_until < now()`.execute(db);
}

function macOf(secret: Buffer, use: ChallengeUse, head: Buffer): Buffer {
  const { purpose, ...subject } = use;
  return createHmac('sha256', deriveKey(secret, 'challenges of passkeys'))
    .update(JSON.stringify([purpose, subject]))
    .update(head)
    .digest();
}

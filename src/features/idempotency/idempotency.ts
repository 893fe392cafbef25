/**
 * "The same request again gives the same answer and does nothing twice."
 *
 * The work and its answer are committed together: after a crash either both are there or neither. While the
 * first request is under way an advisory lock of its transaction stands for it, so nothing has to be cleaned
 * up when a process dies. Only successes are kept: an error rolls the transaction back and frees the key.
 */
import { sql } from 'kysely';
import type { Seal } from '../../platform/crypto.ts';
import { inTransaction, lockNumber, type Db } from '../../platform/database.ts';
import { AppError, conflict } from '../../platform/errors.ts';

const KEPT_HOURS = 24;

export interface IdempotentRequest {
  teamId: number;
  key: string;
  /** Of method, path and body. */
  requestHash: Buffer;
}

/** Runs the work, or answers what it answered before. The answer is the text that went out. */
export async function answerOnce(
  db: Db,
  seal: Seal,
  request: IdempotentRequest,
  work: (trx: Db) => Promise<string>,
): Promise<{ answer: string; replayed: boolean }> {
  return inTransaction(db, async (trx) => {
    const isOurs = await lockKey(trx, request);
    const kept = await findKept(trx, request);
    if (kept && !kept.requestHash.equals(request.requestHash)) {
      throw new AppError(
        'IDEMPOTENCY_MISMATCH',
        'This Idempotency-Key was used for another request. Use a new key for a new request.',
      );
    }
    // Whoever holds the lock may be replaying it too.
    if (kept) return { answer: seal.open(kept.answer).toString('utf8'), replayed: true };
    if (!isOurs) {
      throw conflict('A request with this Idempotency-Key is still under way. Try again when it is done.');
    }
    const answer = await work(trx);
    await keep(trx, request, seal.seal(Buffer.from(answer)));
    return { answer, replayed: false };
  });
}

async function lockKey(trx: Db, { teamId, key }: IdempotentRequest): Promise<boolean> {
  const lock = lockNumber(`idempotency ${teamId} ${key}`);
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as locked`.execute(trx);
  return rows[0]!.locked;
}

async function findKept(trx: Db, { teamId, key }: IdempotentRequest) {
  const { rows } = await sql<{ requestHash: Buffer; answer: Buffer }>`
    select request_hash as "requestHash", answer
    from idempotency_keys
    where team_id = ${teamId} and key = ${key} and created_at > now() - make_interval(hours => ${KEPT_HOURS})
  `.execute(trx);
  return rows[0];
}

async function keep(trx: Db, { teamId, key, requestHash }: IdempotentRequest, answer: Buffer): Promise<void> {
  await sql`
    insert into idempotency_keys (team_id, key, request_hash, answer)
    values (${teamId}, ${key}, ${requestHash}, ${answer})
    on conflict (team_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
  `.execute(trx);
}

/** Run by the worker now and then. */
export async function dropExpiredAnswers(db: Db): Promise<void> {
  await sql`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${KEPT_HOURS})
  `.execute(db);
}

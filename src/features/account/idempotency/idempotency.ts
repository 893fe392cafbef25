/**
 * Repeating a request with the same Idempotency-Key returns the first response and does no further work.
 *
 * The work and its response are committed in one transaction, so a crash leaves both or neither. A running request
 * holds a transaction-level advisory lock, so nothing needs cleaning up when a process dies. Only successes are stored;
 * an error rolls back and frees the key.
 */
import { sql } from 'kysely';
import { createSecretBox, type SecretBox } from '../../../platform/crypto.ts';
import { inTransaction, lockNumber, type Db } from '../../../platform/database/database.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';

const KEPT_HOURS = 24;
const BATCH_SIZE = 2_000;
export interface IdempotentRequest {
  teamId: number;
  key: string;
  /** Hash of method, path and body. */
  requestHash: Buffer;
}

/** Stored responses are encrypted, because some contain a secret that is stored nowhere else. */
export function createAnswerBox(secret: Buffer): SecretBox {
  return createSecretBox(secret, 'idempotent answers');
}

/** Runs the work, or replays the stored response. `answer` is the exact text of the response. */
export async function answerOnce(
  db: Db,
  secretBox: SecretBox,
  request: IdempotentRequest,
  work: (trx: Db) => Promise<string>,
): Promise<{ answer: string; replayed: boolean }> {
  return inTransaction(db, async (trx) => {
    const hasLock = await lockKey(trx, request);
    const stored = await findStoredAnswer(trx, request);
    if (stored && !stored.requestHash.equals(request.requestHash)) {
      throw new AppError(
        'IDEMPOTENCY_MISMATCH',
        'This Idempotency-Key was already used for a different request. Use a new key.',
      );
    }
    // Replay even without the lock, because the request that holds it may only be replaying too.
    if (stored) return { answer: secretBox.decrypt(stored.answer).toString('utf8'), replayed: true };
    if (!hasLock) {
      throw conflict(
        'A request with this Idempotency-Key is still in progress. Try again when it has finished.',
        'request-in-progress',
      );
    }
    const answer = await work(trx);
    await storeAnswer(trx, request, secretBox.encrypt(Buffer.from(answer)));
    return { answer, replayed: false };
  });
}

async function lockKey(trx: Db, { teamId, key }: IdempotentRequest): Promise<boolean> {
  const lock = lockNumber(`idempotency ${teamId} ${key}`);
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as locked`.execute(trx);
  return rows[0]!.locked;
}

async function findStoredAnswer(trx: Db, { teamId, key }: IdempotentRequest) {
  const { rows } = await sql<CamelRow<'idempotency_keys', 'request_hash' | 'answer'>>`
    select request_hash as "requestHash", answer
    from idempotency_keys
    where team_id = ${teamId} and key = ${key} and created_at > now() - make_interval(hours => ${KEPT_HOURS})
  `.execute(trx);
  return rows[0];
}

async function storeAnswer(
  trx: Db,
  { teamId, key, requestHash }: IdempotentRequest,
  answer: Buffer,
): Promise<void> {
  await sql`
    insert into idempotency_keys (team_id, key, request_hash, answer)
    values (${teamId}, ${key}, ${requestHash}, ${answer})
    on conflict (team_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
  `.execute(trx);
}

/** The worker runs this periodically. */
export async function dropExpiredAnswers(db: Db): Promise<void> {
  await deleteInBatches(BATCH_SIZE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from idempotency_keys where (team_id, key) in (
        select team_id, key from idempotency_keys where created_at < now() - make_interval(hours => ${KEPT_HOURS})
        order by created_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}

/**
 * Seals the audit log. Once a minute the new entries of each team get a seal: their hashes, chained to the seal before
 * and signed. Sealing by a job keeps writers apart, because a chain that each change extends would lock one row per team.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { auditKeysOf, type AuditKeys } from './audit-keys.ts';
import { hashEntry, hashSeal, NO_HASH, type HashedEntry } from './entry-hash.ts';

const MAX_ENTRIES = 5_000;

export async function sealAudit(db: Db, secret: Buffer): Promise<void> {
  const { rows } = await sql<Row<'audit_entries', 'team_id'>>`
    select distinct e.team_id from audit_entries e join teams t on t.id = e.team_id and t.closed_at is null
    where e.seal_no is null`.execute(db);
  for (const { team_id } of rows) {
    let sealed = MAX_ENTRIES;
    while (sealed === MAX_ENTRIES) {
      sealed = await inTransaction(db, (trx) => sealTeam(trx, auditKeysOf(secret), team_id));
    }
  }
}

/** Returns the number of entries that it sealed. Entries of transactions that are still open get a later seal. */
async function sealTeam(trx: Db, keys: AuditKeys, teamId: number): Promise<number> {
  await sql`select from teams where id = ${teamId} for no key update`.execute(trx);
  const { rows: entries } = await sql<HashedEntry>`
    select id, at, actor_kind, actor_id, action, target, request_id, content_hash
    from audit_entries where team_id = ${teamId} and seal_no is null
    order by id limit ${MAX_ENTRIES}`.execute(trx);
  if (entries.length === 0) return 0;
  const { rows: last } = await sql<Row<'audit_seals', 'no' | 'hash'>>`
    select no, hash from audit_seals where team_id = ${teamId} order by no desc limit 1`.execute(trx);
  const seal = {
    no: (last[0]?.no ?? 0) + 1,
    at: new Date(),
    entry_hashes: Buffer.concat(entries.map((entry) => hashEntry(keys, entry))),
    previous_hash: last[0]?.hash ?? NO_HASH,
  };
  const hash = hashSeal(seal);
  await sql`
    insert into audit_seals (team_id, no, at, entry_hashes, previous_hash, hash, signature, signed_by)
    values (${teamId}, ${seal.no}, ${seal.at}, ${seal.entry_hashes}, ${seal.previous_hash}, ${hash},
      ${keys.sign(hash)}, ${keys.signedBy})`.execute(trx);
  await sql`
    update audit_entries set seal_no = ${seal.no}
    where team_id = ${teamId} and id = any(${entries.map(({ id }) => id)}::uuid[])`.execute(trx);
  return entries.length;
}

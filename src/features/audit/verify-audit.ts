/** Compares the audit log of a team with its chain of seals. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import { auditKeysOf, type AuditKeys } from './audit-keys.ts';
import { HASH_BYTES, hashEntry, hashSeal, NO_HASH, type HashedEntry } from './entry-hash.ts';

export interface AuditVerdict {
  seals: number;
  entries: number;
  /** Entries that have no seal yet. */
  unsealed: number;
  /** Entries whose content was erased with a person: their hashes are right, their content is gone. */
  erased: number;
  /** Seals that another instance signed, before the team moved here. Their signatures and MACs cannot be checked here. */
  foreign: number;
  /** The hash of the last seal, in hexadecimal digits; null if there is none. */
  head: string | null;
  signedBy: string;
  /** What is wrong, as sentences. Empty if nothing is. */
  faults: string[];
}

type SealRow = Row<
  'audit_seals',
  'no' | 'at' | 'entry_hashes' | 'previous_hash' | 'hash' | 'signature' | 'signed_by'
>;
type EntryRow = HashedEntry & Row<'audit_entries', 'content' | 'seal_no'>;

const MAX_FAULTS = 50;
const SEALS_AT_ONCE = 200;

/** `expectedHead` is a head that an owner was mailed. The chain must contain it. */
export async function verifyAudit(
  db: Db,
  secret: Buffer,
  teamId: number,
  expectedHead: string | null = null,
): Promise<AuditVerdict> {
  const keys = auditKeysOf(secret);
  const verdict: AuditVerdict = {
    seals: 0,
    entries: 0,
    unsealed: 0,
    erased: 0,
    foreign: 0,
    head: null,
    signedBy: keys.signedBy,
    faults: [],
  };
  let before: { no: number; hash: Buffer } = { no: 0, hash: NO_HASH };
  let isHeadFound = expectedHead === null;
  for (;;) {
    const seals = await readSeals(db, teamId, before.no);
    if (seals.length === 0) break;
    const entries = await readEntries(db, teamId, seals[0]!.no, seals.at(-1)!.no);
    for (const seal of seals) {
      verifySeal(verdict, keys, before, seal);
      verifyEntries(
        verdict,
        keys,
        seal,
        entries.filter(({ seal_no }) => seal_no === seal.no),
      );
      before = { no: seal.no, hash: seal.hash };
      isHeadFound ||= seal.hash.toString('hex') === expectedHead;
    }
  }
  verdict.head = before.no === 0 ? null : before.hash.toString('hex');
  if (!isHeadFound) verdict.faults.push(`The chain does not contain the head ${expectedHead}.`);
  await verifyUnsealed(db, verdict, keys, teamId, before.no);
  return verdict;
}

async function readSeals(db: Db, teamId: number, afterNo: number): Promise<SealRow[]> {
  const { rows } = await sql<SealRow>`
    select no, at, entry_hashes, previous_hash, hash, signature, signed_by from audit_seals
    where team_id = ${teamId} and no > ${afterNo} order by no limit ${SEALS_AT_ONCE}`.execute(db);
  return rows;
}

async function readEntries(db: Db, teamId: number, from: number, to: number): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    select id, at, actor_kind, actor_id, action, target, request_id, content, content_hash, seal_no
    from audit_entries where team_id = ${teamId} and seal_no between ${from} and ${to} order by id`.execute(
    db,
  );
  return rows;
}

function verifySeal(
  verdict: AuditVerdict,
  keys: AuditKeys,
  before: { no: number; hash: Buffer },
  seal: SealRow,
): void {
  verdict.seals += 1;
  if (seal.no !== before.no + 1) addFault(verdict, `Seals ${before.no + 1} to ${seal.no - 1} are missing.`);
  else if (!seal.previous_hash.equals(before.hash))
    addFault(verdict, `Seal ${seal.no} does not follow the seal before it.`);
  if (!hashSeal(seal).equals(seal.hash)) addFault(verdict, `Seal ${seal.no} was changed.`);
  if (seal.signed_by !== keys.signedBy) verdict.foreign += 1;
  else if (!keys.isSigned(seal.hash, seal.signature))
    addFault(verdict, `The signature of seal ${seal.no} is wrong.`);
}

function verifyEntries(verdict: AuditVerdict, keys: AuditKeys, seal: SealRow, entries: EntryRow[]): void {
  verdict.entries += entries.length;
  const isForeign = seal.signed_by !== keys.signedBy;
  const sealed = splitHashes(seal.entry_hashes);
  if (isForeign) {
    if (entries.length !== sealed.length)
      addFault(verdict, `Seal ${seal.no} has ${sealed.length} entries, but ${entries.length} are stored.`);
    return;
  }
  const expected = new Set(sealed);
  for (const entry of entries) {
    const name = `Entry ${encodeId('aud', entry.id)} (${entry.action}, ${entry.at.toISOString()})`;
    if (!expected.delete(hashEntry(keys, entry).toString('hex')))
      addFault(verdict, `${name} was changed or inserted after it was sealed.`);
    else verifyContent(verdict, keys, entry, name);
  }
  if (expected.size > 0)
    addFault(
      verdict,
      `${expected.size === 1 ? 'An entry' : `${expected.size} entries`} of seal ${seal.no} (${seal.at.toISOString()}) ${expected.size === 1 ? 'was' : 'were'} changed or removed.`,
    );
}

function verifyContent(verdict: AuditVerdict, keys: AuditKeys, entry: EntryRow, name: string): void {
  if (entry.content === null) verdict.erased += 1;
  else if (!keys.mac(entry.content).equals(entry.content_hash))
    addFault(verdict, `The content of ${name} was changed.`);
}

/** New entries have no seal yet, but the MAC of their content is right, and they name no seal that does not exist. */
async function verifyUnsealed(
  db: Db,
  verdict: AuditVerdict,
  keys: AuditKeys,
  teamId: number,
  lastNo: number,
): Promise<void> {
  const { rows } = await sql<EntryRow>`
    select id, at, actor_kind, actor_id, action, target, request_id, content, content_hash, seal_no
    from audit_entries where team_id = ${teamId} and (seal_no is null or seal_no > ${lastNo} or seal_no < 1)
    order by id`.execute(db);
  for (const entry of rows) {
    const name = `Entry ${encodeId('aud', entry.id)} (${entry.action}, ${entry.at.toISOString()})`;
    verdict.entries += 1;
    if (entry.seal_no !== null)
      addFault(verdict, `${name} names seal ${entry.seal_no}, which does not exist.`);
    else {
      verdict.unsealed += 1;
      verifyContent(verdict, keys, entry, name);
    }
  }
}

function splitHashes(hashes: Buffer): string[] {
  return Array.from({ length: Math.floor(hashes.length / HASH_BYTES) }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES).toString('hex'),
  );
}

function addFault(verdict: AuditVerdict, fault: string): void {
  if (verdict.faults.length < MAX_FAULTS) verdict.faults.push(fault);
}

/**
 * What the chain is made of. An entry counts with a MAC over its columns, in which the content stands only as a MAC of
 * its own, so that the content can be erased and the chain stays whole.
 */
import { sha256 } from '../../platform/crypto.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { AuditKeys } from './audit-keys.ts';

export const HASH_BYTES = 32;

/** The hash before that of the first seal. */
export const NO_HASH = Buffer.alloc(HASH_BYTES);

export type HashedEntry = Row<
  'audit_entries',
  'id' | 'at' | 'actor_kind' | 'actor_id' | 'action' | 'target' | 'request_id' | 'content_hash'
>;

export function hashEntry(keys: AuditKeys, entry: HashedEntry): Buffer {
  const { id, at, actor_kind, actor_id, action, target, request_id, content_hash } = entry;
  return keys.mac(
    JSON.stringify([
      id,
      at.toISOString(),
      actor_kind,
      actor_id,
      action,
      target,
      request_id,
      content_hash.toString('hex'),
    ]),
  );
}

export type HashedSeal = Row<'audit_seals', 'no' | 'at' | 'entry_hashes' | 'previous_hash'>;

export function hashSeal({ no, at, entry_hashes, previous_hash }: HashedSeal): Buffer {
  return sha256(
    Buffer.concat([previous_hash, sha256(entry_hashes), Buffer.from(`${no} ${at.toISOString()}`)]),
  );
}

/** Packs many UIDs into one value, because a row for each of a million messages takes seconds. */
import { sql } from 'kysely';

/** UIDs are unsigned 32-bit numbers; PostgreSQL's integers are signed. */
const HALF = 0x8000_0000;

/** The four bytes of a UID, to be joined with `string_agg`. */
export const PACKED_UID = sql`int4send((uid - ${sql.lit(HALF)}::bigint)::integer)`;

export function unpackUids(packed: Buffer | null): Uint32Array {
  const uids = new Uint32Array((packed?.length ?? 0) / 4);
  for (let at = 0; at < uids.length; at += 1) uids[at] = packed!.readInt32BE(at * 4) + HALF;
  return uids;
}

/**
 * Ids as whole numbers, for clients of vendors whose ids are numbers. The number is the time of the UUID v7 in
 * milliseconds and its sequence of 12 bits, so it needs no column and leads back to the id by a range of the primary
 * key. Until 2039 it is below 2^53, as JSON needs.
 */
import { decodeId, type IdPrefix } from './ids.ts';

const SEQUENCES = 0x1000;

export function toIdNumber(prefix: IdPrefix, id: string): number {
  const uuid = decodeId(prefix, id)!.replaceAll('-', '');
  return Number.parseInt(uuid.slice(0, 12), 16) * SEQUENCES + Number.parseInt(uuid.slice(13, 16), 16);
}

/** The UUIDs that have this number. Two processes could make two of them in the same millisecond. */
export function uuidsOf(number: number): { first: string; last: string } | null {
  if (!Number.isSafeInteger(number) || number < 0) return null;
  const time = Math.floor(number / SEQUENCES)
    .toString(16)
    .padStart(12, '0');
  const start = `${time.slice(0, 8)}-${time.slice(8)}-7${(number % SEQUENCES).toString(16).padStart(3, '0')}`;
  return { first: `${start}-0000-000000000000`, last: `${start}-ffff-ffffffffffff` };
}

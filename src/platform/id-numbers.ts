/**
 * IDs as whole numbers, for clients of vendors whose IDs are numbers. The number consists of the time of the UUID
 * v7 in milliseconds and its sequence of 12 bits. It needs no column, because the ID is found by a range of the
 * primary key. Until 2039 it stays below 2^53, the limit of exact numbers in JSON.
 */
import { decodeId, type IdPrefix } from './ids.ts';

const SEQUENCES = 0x1000;

export function toIdNumber(prefix: IdPrefix, id: string): number {
  const uuid = decodeId(prefix, id)!.replaceAll('-', '');
  return Number.parseInt(uuid.slice(0, 12), 16) * SEQUENCES + Number.parseInt(uuid.slice(13, 16), 16);
}

/** Returns the range of UUIDs with this number. Two processes could create two of them in the same millisecond. */
export function uuidsOf(number: number): { first: string; last: string } | null {
  if (!Number.isSafeInteger(number) || number < 0) return null;
  const time = Math.floor(number / SEQUENCES)
    .toString(16)
    .padStart(12, '0');
  const start = `${time.slice(0, 8)}-${time.slice(8)}-7${(number % SEQUENCES).toString(16).padStart(3, '0')}`;
  return { first: `${start}-0000-000000000000`, last: `${start}-ffff-ffffffffffff` };
}

/**
 * Segments to which contacts are added one by one. Such a segment is a filter on a property named like the segment
 * itself, and a contact belongs to it while this property is true. So it works wherever segments do.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import { isMembership } from './membership.ts';
import { PROPERTY_PREFIX, type SegmentFilter } from './segment-filter.ts';
import type { Segment } from './segments.schema.ts';
import { createSegment, listSegments } from './segments.ts';

/** More segments than a contact can be in, because its properties are limited to 64 KB. */
const MOST_OF_CONTACT = 2_500;

export async function createMemberSegment(
  db: Db,
  teamId: number,
  { name, contactBookId }: { name: string; contactBookId: string },
): Promise<Segment> {
  const id = newUuid();
  return createSegment(db, teamId, { name, contactBookId, filter: filterOf(encodeId('seg', id)) }, id);
}

export function isMemberSegment({ id, filter }: Segment): boolean {
  return isDeepStrictEqual(filter, filterOf(id));
}

/** The segments that the contact was added to, newest first. */
export async function listSegmentsOf(
  db: Db,
  teamId: number,
  properties: Record<string, unknown>,
): Promise<Segment[]> {
  const ids = Object.keys(properties).filter((name) => isMembership(name) && properties[name] === true);
  if (ids.length === 0) return [];
  return (await listSegments(db, teamId, { limit: MOST_OF_CONTACT, ids })).items;
}

function filterOf(segmentId: string): SegmentFilter {
  return { all: [{ field: `${PROPERTY_PREFIX}${segmentId}`, op: 'equals', value: true }] };
}

/**
 * Lists which cell (instance) has which team, for a proxy in front of several cells. It reads the databases of all
 * cells, because there is no database above them.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

export const DIRECTORY_MAPS = ['keys', 'domains', 'mailboxes', 'teams'] as const;
export type DirectoryMap = (typeof DIRECTORY_MAPS)[number];

export interface Cell {
  name: string;
  baseUrl: string;
  db: Db;
}

interface Entry {
  value: string;
  /** The team is being moved, from here or to here. */
  isClosed: boolean;
  /** The base URL of the cell that it came from, if it has ever moved. */
  arrivedFrom: Row<'teams'>['arrived_from'];
}

export interface Directory {
  /** Sorted by value. */
  cells: Map<string, Cell>;
  /** Values that several cells have. The first cell is listed. */
  conflicts: string[];
}

/** Keys in other formats, which operators choose themselves, are not listed, because they have no public part. */
const VALUES: Record<DirectoryMap, RawBuilder<unknown>> = {
  keys: sql`
    select substr(key_start, 4) as value, team_id from api_keys
    where key_start like 'ph\_%' and revoked_at is null and (expires_at is null or expires_at > now())`,
  domains: sql`select name as value, team_id from domains where held`,
  mailboxes: sql`select address_key as value, team_id from mailboxes`,
  teams: sql`select id::text as value, id as team_id from teams`,
};

export async function readDirectory(cells: Cell[], map: DirectoryMap): Promise<Directory> {
  const found = new Map<string, { cell: Cell; entry: Entry }>();
  const conflicts = new Set<string>();
  for (const cell of cells) {
    for (const entry of await listEntries(cell.db, map)) {
      const other = found.get(entry.value);
      if (!other || isCopyOf(other, { cell, entry })) found.set(entry.value, { cell, entry });
      else if (!isCopyOf({ cell, entry }, other)) conflicts.add(entry.value);
    }
  }
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    cells: new Map(sorted.map(([value, { cell }]) => [value, cell])),
    conflicts: [...conflicts].toSorted(),
  };
}

/** A team that has moved away is not listed, so only its new cell has it. */
async function listEntries(db: Db, map: DirectoryMap): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select v.value, t.closed_at is not null as "isClosed", t.arrived_from as "arrivedFrom"
    from (${VALUES[map]}) v join teams t on t.id = v.team_id
    where t.moved_to is null
  `.execute(db);
  return rows;
}

/** During a move both cells have the team, closed. Until it has moved, it belongs to the cell that it comes from. */
function isCopyOf(copy: { cell: Cell; entry: Entry }, original: { cell: Cell; entry: Entry }): boolean {
  return copy.entry.isClosed && copy.entry.arrivedFrom === original.cell.baseUrl && original.entry.isClosed;
}

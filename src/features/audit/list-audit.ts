/** Reads the audit log. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { writeCsvRow } from '../../platform/csv.ts';
import { escapeLike, type Db } from '../../platform/database/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { fromStart, orderOf, readPageStart, toPage, type Page } from '../../platform/pages.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { AuditEntry, AuditFilters, AuditQuery } from './audit.schema.ts';
import type { AuditContent } from './record-audit.ts';

const KINDS = ['person', 'key', 'operator', 'system'];
const EXPORT_ROWS = 500;

type EntryRow = Row<
  'audit_entries',
  'id' | 'at' | 'actor_kind' | 'actor_id' | 'action' | 'target' | 'request_id' | 'content'
>;

export async function listAudit(db: Db, teamId: number, query: AuditQuery): Promise<Page<AuditEntry>> {
  const start = readPageStart('aud', query);
  const { rows } = await sql<EntryRow>`
    select id, at, actor_kind, actor_id, action, target, request_id, content from audit_entries
    where team_id = ${teamId} and ${matches(query)} and ${fromStart(start, 'id')}
    order by id ${orderOf(start)} limit ${query.limit + 1}`.execute(db);
  return toPage(rows, query, toEntry);
}

/** One JSON object per line, newest first. */
export async function* exportAudit(
  db: Db,
  teamId: number,
  filters: AuditFilters,
  throwIfDisconnected: () => void,
): AsyncGenerator<string> {
  for await (const entries of readPages(db, teamId, filters, throwIfDisconnected))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

const CSV_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'actor_ip',
  'action',
  'target',
  'before',
  'after',
  'request_id',
];

export async function* exportAuditCsv(
  db: Db,
  teamId: number,
  filters: AuditFilters,
  throwIfDisconnected: () => void,
): AsyncGenerator<string> {
  yield writeCsvRow(CSV_COLUMNS);
  for await (const entries of readPages(db, teamId, filters, throwIfDisconnected))
    yield entries.map(toCsvRow).join('');
}

function toCsvRow({ id, at, actor, action, target, before, after, requestId }: AuditEntry): string {
  const who = [actor.kind, actor.id ?? '', actor.name ?? '', actor.ip ?? ''];
  return writeCsvRow([id, at, ...who, action, target ?? '', toCell(before), toCell(after), requestId ?? '']);
}

function toCell(state: unknown): string {
  return state === null ? '' : JSON.stringify(state);
}

async function* readPages(
  db: Db,
  teamId: number,
  filters: AuditFilters,
  throwIfDisconnected: () => void,
): AsyncGenerator<AuditEntry[]> {
  let cursor: string | undefined;
  do {
    throwIfDisconnected();
    const page = await listAudit(db, teamId, { ...filters, limit: EXPORT_ROWS, cursor });
    if (page.items.length > 0) yield page.items;
    cursor = page.next_cursor ?? undefined;
    await nextTurn();
  } while (cursor !== undefined);
}

function matches({ actor, action, target, from, to }: AuditFilters): RawBuilder<boolean> {
  const parts = [sql<boolean>`true`];
  if (actor !== undefined)
    parts.push(
      KINDS.includes(actor) ? sql<boolean>`actor_kind = ${actor}` : sql<boolean>`actor_id = ${actor}`,
    );
  if (action !== undefined)
    parts.push(
      action.endsWith('.')
        ? sql<boolean>`action like ${`${escapeLike(action)}%`}`
        : sql<boolean>`action = ${action}`,
    );
  if (target !== undefined) parts.push(sql<boolean>`target = ${target}`);
  if (from !== undefined) parts.push(sql<boolean>`at >= ${from}`);
  if (to !== undefined) parts.push(sql<boolean>`at < ${to}`);
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}

function toEntry(row: EntryRow): AuditEntry {
  const content = row.content === null ? null : (JSON.parse(row.content) as AuditContent);
  return {
    id: encodeId('aud', row.id),
    at: row.at.toISOString(),
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: content?.name ?? null,
      ip: content?.ip ?? null,
    },
    action: row.action,
    target: row.target,
    before: content?.before ?? null,
    after: content?.after ?? null,
    requestId: row.request_id,
  };
}

/** Reads the request log. */
import { sql, type RawBuilder } from 'kysely';
import { escapeLike, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { fromStart, orderOf, readPageStart, toPage, type Page } from '../../../platform/pages.ts';
import type { ListedRequest, LoggedRequest, RequestsQuery } from './request-log.schema.ts';

type ListedRow = Omit<Row<'request_log'>, 'team_id' | 'request_body' | 'response_body'>;

const LISTED = sql.raw('id, at, method, path, status, duration_ms, key_id, request_id, user_agent, email_id');

export async function listRequests(
  db: Db,
  teamId: number,
  query: RequestsQuery,
): Promise<Page<ListedRequest>> {
  const start = readPageStart('log', query);
  const { rows } = await sql<ListedRow>`
    select ${LISTED} from request_log
    where team_id = ${teamId} and ${matches(query)} and ${fromStart(start, 'id')}
    order by id ${orderOf(start)} limit ${query.limit + 1}`.execute(db);
  return toPage(rows, query, toListed);
}

export async function getRequest(db: Db, teamId: number, publicId: string): Promise<LoggedRequest> {
  const id = decodeId('log', publicId);
  if (id === null) throw notFound('Log entry');
  const { rows } = await sql<Row<'request_log'>>`
    select ${LISTED}, request_body, response_body from request_log
    where team_id = ${teamId} and id = ${id}`.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Log entry');
  return {
    ...toListed(row),
    requestBody: row.request_body === null ? null : JSON.parse(row.request_body),
    responseBody: row.response_body === null ? null : JSON.parse(row.response_body),
  };
}

function matches({ status, method, path, keyId, requestId }: RequestsQuery): RawBuilder<boolean> {
  const parts = [sql<boolean>`true`];
  if (status !== undefined) parts.push(matchesStatus(status));
  if (method !== undefined) parts.push(sql<boolean>`method = ${method}`);
  if (path !== undefined) {
    const start = `${escapeLike(path)}%`;
    parts.push(
      sql<boolean>`(path like ${start} or path like ${`/api${start}`} or path like ${`/api/v1${start}`})`,
    );
  }
  if (keyId !== undefined) parts.push(sql<boolean>`key_id = ${keyId}`);
  if (requestId !== undefined) parts.push(sql<boolean>`request_id = ${requestId}`);
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}

/** With the condition of the index, so that failures are found quickly. */
function matchesStatus(status: string): RawBuilder<boolean> {
  const first = Number(status[0]) * 100;
  const exact = status.endsWith('xx')
    ? sql<boolean>`status between ${first} and ${first + 99}`
    : sql<boolean>`status = ${Number(status)}`;
  return first < 400 ? exact : sql<boolean>`status >= 400 and ${exact}`;
}

function toListed(row: ListedRow): ListedRequest {
  return {
    id: encodeId('log', row.id),
    at: row.at.toISOString(),
    method: row.method,
    path: row.path,
    status: row.status,
    durationMs: row.duration_ms,
    keyId: row.key_id,
    requestId: row.request_id,
    userAgent: row.user_agent,
    emailId: row.email_id,
  };
}

/** Automations as they are edited. What is live is a version of its own (states.ts). */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { badRequest, conflict, describeIssue, invalidField, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../platform/pages.ts';
import type { CamelRow } from '../../platform/database/rows.ts';
import { contactBookKey, requireContactBook } from '../audience/contact-books/contact-books.ts';
import { findOldestBook } from '../audience/contact-books/oldest-book.ts';
import type {
  Automation,
  AutomationDefinition,
  AutomationInput,
  AutomationUpdate,
} from './definition/automations.schema.ts';
import { findGraphErrors } from './definition/graph.ts';
import { endRuns } from './runs/end-runs.ts';
import { RUN_COLUMNS, type RunRow } from './runs/run-row.ts';

const MAX_DEFINITION_BYTES = 1_000_000;
const MAX_AUTOMATIONS = 1_000;

export type AutomationRow = CamelRow<
  'automations',
  | 'team_id'
  | 'id'
  | 'name'
  | 'status'
  | 'contact_book_id'
  | 'version'
  | 'has_draft'
  | 'paused_at'
  | 'resumes_as'
  | 'created_at'
  | 'updated_at'
> & { definition: AutomationDefinition };

type Status = AutomationRow['status'];

const COLUMNS = sql.raw(
  `team_id as "teamId", id, name, status, contact_book_id as "contactBookId", version, has_draft as "hasDraft",
   paused_at as "pausedAt", resumes_as as "resumesAs", created_at as "createdAt", updated_at as "updatedAt", definition`,
);

export async function createAutomation(
  db: Db,
  teamId: number,
  input: AutomationInput,
  { triggerKey }: Pick<AutomationDefinition, 'triggerKey'> = {},
): Promise<Automation> {
  const bookId = input.contactBookId ?? (await findOldestBook(db, teamId));
  if (!bookId) throw invalidField('contactBookId', 'is required, because your team has no contact book');
  const bookKey = contactBookKey(bookId);
  await requireContactBook(db, teamId, bookKey);
  const definition: AutomationDefinition = {
    trigger: input.trigger ?? null,
    steps: input.steps,
    exitOn: input.exitOn ?? ['unsubscribed'],
    reentry: input.reentry ?? 'once',
    timezone: input.timezone ?? 'UTC',
    holdOnAutoReply: input.holdOnAutoReply ?? '7 days',
    ratePerMinute: input.ratePerMinute ?? null,
    ...(triggerKey === undefined ? {} : { triggerKey }),
  };
  requireUsable(definition);
  return present(await insertAutomation(db, teamId, { name: input.name, bookKey, definition }));
}

async function insertAutomation(
  db: Db,
  teamId: number,
  { name, bookKey, definition }: { name: string; bookKey: string; definition: AutomationDefinition },
): Promise<AutomationRow> {
  const { rows } = await sql<AutomationRow>`
    insert into automations (team_id, id, name, contact_book_id, definition)
    select ${teamId}::integer, ${newUuid()}::uuid, ${name}, ${bookKey}::uuid, ${JSON.stringify(definition)}::jsonb
    where (select count(*) from automations where team_id = ${teamId} and deleted_at is null) < ${MAX_AUTOMATIONS}
    returning ${COLUMNS}
  `.execute(db);
  if (!rows[0]) throw badRequest(`A team can have at most ${MAX_AUTOMATIONS} automations. Delete one first.`);
  return rows[0];
}

/** A draft may be incomplete, but its steps must fit together. */
function requireUsable(definition: AutomationDefinition): void {
  if (Buffer.byteLength(JSON.stringify(definition)) > MAX_DEFINITION_BYTES)
    throw badRequest(`The automation is larger than ${MAX_DEFINITION_BYTES} bytes as JSON.`);
  const issues = findGraphErrors(definition).map(({ path, message }) => ({ path, message }));
  if (issues[0]) throw badRequest(`${describeIssue(issues[0])} (${issues[0].path}).`, issues);
}

export async function getAutomation(db: Db, teamId: number, automationId: string): Promise<Automation> {
  return present(await findAutomation(db, teamId, automationId));
}

export async function listAutomations(
  db: Db,
  teamId: number,
  {
    status,
    search,
    ...page
  }: PageRequest & { status?: Status | readonly Status[] | undefined; search?: string | undefined },
): Promise<Page<Automation>> {
  const start = readPageStart('aut', page);
  const { rows } = await sql<AutomationRow>`
    select ${COLUMNS} from automations
    where team_id = ${teamId} and deleted_at is null and ${fromStart(start, 'id')}
      ${status === undefined ? sql`` : sql`and status = any(${[status].flat()}::text[])`}
      ${search ? sql`and strpos(lower(name), ${search.toLowerCase()}) > 0` : sql``}
    order by id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

/** A change of an automation that is not DRAFT changes its draft, which is published later. */
export async function updateAutomation(
  db: Db,
  teamId: number,
  automationId: string,
  { basedOn, name, ...changes }: AutomationUpdate & Pick<AutomationDefinition, 'triggerKey'>,
): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, teamId, automationId, 'for update');
    if (basedOn && row.updatedAt.getTime() !== basedOn.getTime())
      throw conflict('Someone else has changed this automation in the meantime.');
    const definition = { ...row.definition, ...withoutMissing(changes) };
    requireUsable(definition);
    const isChanged = Object.keys(withoutMissing(changes)).length > 0;
    const { rows } = await sql<AutomationRow>`
      update automations set name = ${name ?? row.name}, definition = ${JSON.stringify(definition)}::jsonb,
        has_draft = has_draft or ${isChanged && row.status !== 'DRAFT'}, updated_at = now()
      where team_id = ${teamId} and id = ${row.id} returning ${COLUMNS}
    `.execute(trx);
    return present(rows[0]!);
  });
}

function withoutMissing(fields: object): Partial<AutomationDefinition> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Ends the runs. Their history is kept. */
export async function deleteAutomation(db: Db, teamId: number, automationId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id } = await findAutomation(trx, teamId, automationId, 'for update');
    await sql`update automations set deleted_at = now() where team_id = ${teamId} and id = ${id}`.execute(
      trx,
    );
    await endAllRuns(trx, { teamId, id }, { status: 'CANCELLED', reason: 'deleted' });
  });
}

export async function endAllRuns(
  trx: Db,
  { teamId, id }: { teamId: number; id: string },
  end: { status: 'CANCELLED' | 'EXITED'; reason: string },
): Promise<number> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from automation_runs r
    where r.team_id = ${teamId} and r.automation_id = ${id} and r.status = 'ACTIVE' order by r.id for update
  `.execute(trx);
  await endRuns(
    trx,
    rows.map((run) => ({ teamId, id: run.id, automationId: id, contactId: run.contactId, ...end })),
  );
  return rows.length;
}

export async function duplicateAutomation(db: Db, teamId: number, automationId: string): Promise<Automation> {
  const { name, contactBookId: bookKey, definition } = await findAutomation(db, teamId, automationId);
  const copy = `${name.slice(0, 190)} (copy)`;
  return present(await insertAutomation(db, teamId, { name: copy, bookKey, definition }));
}

export async function findAutomation(
  db: Db,
  teamId: number,
  automationId: string,
  lock: '' | 'for update' = '',
): Promise<AutomationRow> {
  const key = decodeId('aut', automationId);
  if (!key) throw notFound('Automation');
  const { rows } = await sql<AutomationRow>`
    select ${COLUMNS} from automations where team_id = ${teamId} and id = ${key} and deleted_at is null ${sql.raw(lock)}
  `.execute(db);
  if (!rows[0]) throw notFound('Automation');
  return rows[0];
}

export function present(row: AutomationRow): Automation {
  const { trigger, steps, exitOn, reentry, timezone, holdOnAutoReply, ratePerMinute } = row.definition;
  return {
    id: encodeId('aut', row.id),
    name: row.name,
    status: row.status,
    contactBookId: encodeId('cbk', row.contactBookId),
    version: row.version,
    hasDraft: row.hasDraft,
    trigger,
    steps,
    exitOn,
    reentry,
    timezone,
    holdOnAutoReply,
    ratePerMinute,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

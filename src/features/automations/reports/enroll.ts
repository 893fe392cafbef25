/**
 * Starts runs of people who are there already: named contacts, a segment, a book, or those of past events. They are read
 * and started in parts, each in a transaction of its own, because the automations of all teams wait for a start that
 * takes long. If it fails in the middle, the same call again starts the rest, unless the automation may always be
 * entered again. With an Idempotency-Key, all parts are one transaction.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, rolledBack, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { MINUTE_MS } from '../../../platform/durations.ts';
import { conflict } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import { contactBookKey, requireContactBook } from '../../audience/contact-books/contact-books.ts';
import { segmentCondition } from '../../audience/segments/segment-condition.ts';
import type { SegmentFilter } from '../../audience/segments/segment-filter.ts';
import { readSegment } from '../../audience/segments/segments.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { findAutomation, type AutomationRow } from '../automations.ts';
import { matchesFilter } from '../runs/match-filter.ts';
import type { TriggerEvent } from '../runs/run-row.ts';
import type { EnrollInput } from './runs.schema.ts';
import { startRuns, type StartedBy } from '../runs/start-runs.ts';

const AT_ONCE = 500;
const MOST = 1_000_000;

interface Candidate {
  contactId: string;
  entryKey: string;
  event: TriggerEvent | null;
  /** The next part begins after it. */
  at: Date | null;
}

interface Source {
  count(): Promise<number>;
  /** Returns at most AT_ONCE candidates. */
  read(after: Candidate | null): Promise<Candidate[]>;
}

interface Enrolled {
  enrolled: number;
  skipped: Record<string, number>;
}

export async function enroll(
  db: Db,
  teamId: number,
  automationId: string,
  input: EnrollInput,
): Promise<Enrolled> {
  const row = await findOpen(db, teamId, automationId);
  const source = await findSource(db, row, input);
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const { now } = rows[0]!;
  const gapMs = input.spreadMinutes
    ? (input.spreadMinutes * MINUTE_MS) / Math.max(1, (await source.count()) - 1)
    : 0;
  const result: Enrolled = { enrolled: 0, skipped: {} };
  // A dry run starts nothing, so a part does not see who was in an earlier one.
  const seen = new Set<string>();
  let done = 0;
  let part = await source.read(null);
  while (part.length > 0 && done < MOST) {
    const causes = part.map(({ contactId, entryKey, event }, at): StartedBy => {
      const dueAt = new Date(now.getTime() + (done + at) * gapMs);
      return { contactId, entryKey, event, at: now, dueAt };
    });
    await startPart(db, { teamId, automationId, causes, seen: input.dryRun ? seen : null }, result);
    done += part.length;
    part = await source.read(part.at(-1)!);
  }
  return result;
}

async function findOpen(db: Db, teamId: number, automationId: string): Promise<AutomationRow> {
  const row = await findAutomation(db, teamId, automationId);
  if (row.status === 'ACTIVE') return row;
  throw conflict(`Only an ACTIVE automation takes people. This automation is ${row.status}.`);
}

interface Part {
  teamId: number;
  automationId: string;
  causes: StartedBy[];
  /** Set for a dry run. */
  seen: Set<string> | null;
}

async function startPart(
  db: Db,
  { teamId, automationId, causes, seen }: Part,
  result: Enrolled,
): Promise<void> {
  const skip = (reason: string, count: number) => {
    result.skipped[reason] = (result.skipped[reason] ?? 0) + count;
  };
  const started = await (seen ? rolledBack : inTransaction)(db, async (trx) => {
    const row = await findOpen(trx, teamId, automationId);
    const { rows } = await sql<{ definition: AutomationDefinition }>`
      select definition from automation_versions
      where team_id = ${teamId} and automation_id = ${row.id} and version = ${row.version}
    `.execute(trx);
    const { definition } = rows[0]!;
    const meant = await matchingCauses(trx, row, definition, causes);
    const fresh =
      seen && definition.reentry !== 'always' ? meant.filter(({ contactId }) => !seen.has(contactId)) : meant;
    return { meant, fresh, ...(await startRuns(trx, { ...row, definition }, fresh)) };
  });
  const { meant, fresh, runIds, refused } = started;
  if (meant.length < causes.length) skip('not_matching', causes.length - meant.length);
  if (fresh.length < meant.length) skip('reentry', meant.length - fresh.length);
  result.enrolled += runIds.length;
  for (const [reason, count] of Object.entries(refused)) skip(reason, count);
  for (const { contactId } of fresh) seen?.add(contactId);
}

/** Past events that start the automation start those whom they would have started then. */
async function matchingCauses(
  trx: Db,
  { teamId, contactBookId }: AutomationRow,
  { trigger }: AutomationDefinition,
  causes: StartedBy[],
): Promise<StartedBy[]> {
  if (!trigger || !('event' in trigger) || !trigger.where) return causes;
  const matching: StartedBy[] = [];
  for (const cause of causes) {
    const { contactId, event } = cause;
    const values = { runId: null, event: event?.data ?? {}, outputs: {} };
    const isMeant =
      event?.name !== trigger.event ||
      (await matchesFilter(trx, { teamId, contactBookId, contactId }, trigger.where, values));
    if (isMeant) matching.push(cause);
  }
  return matching;
}

async function findSource(db: Db, row: AutomationRow, input: EnrollInput): Promise<Source> {
  // Each call may start a run of the same contact again, if the re-entry rule allows it.
  const entry = { entryKey: `enrolled ${newUuid()}`, event: null, at: null };
  if (input.contactIds) return ofContacts([...new Set(input.contactIds)], entry);
  if (input.events) return ofEvents(db, row, input.events);
  const { teamId, contactBookId } = row;
  if (input.segmentId) {
    const segment = await readSegment(db, teamId, input.segmentId);
    if (segment.contact_book_id !== contactBookId)
      throw conflict('The segment belongs to another contact book than the automation.');
    const book = { teamId, bookKey: contactBookId };
    return ofBook(db, row, segmentCondition(book, segment.filter as SegmentFilter), entry);
  }
  const bookKey = contactBookKey(input.contactBookId!);
  await requireContactBook(db, teamId, bookKey);
  if (bookKey !== contactBookId) throw conflict('The automation has another contact book.');
  return ofBook(db, row, sql<boolean>`true`, entry);
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

type Entry = Omit<Candidate, 'contactId'>;

function ofContacts(ids: string[], entry: Entry): Source {
  let next = 0;
  return {
    count: () => Promise.resolve(ids.length),
    read() {
      const part = ids.slice(next, (next += AT_ONCE));
      return Promise.resolve(part.map((id) => ({ ...entry, contactId: decodeId('con', id) ?? NOBODY })));
    },
  };
}

function ofBook(
  db: Db,
  { teamId, contactBookId }: AutomationRow,
  condition: RawBuilder<boolean>,
  entry: Entry,
): Source {
  const from = sql`
    from contacts c where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId} and ${condition}`;
  return {
    count: () => countRows(db, sql`select 1 ${from}`),
    async read(after) {
      const { rows } = await sql<{ contactId: Row<'contacts'>['id'] }>`
        select c.id as "contactId" ${from} and c.id > ${after?.contactId ?? NOBODY}::uuid
        order by c.id limit ${AT_ONCE}
      `.execute(db);
      return rows.map(({ contactId }) => ({ ...entry, contactId }));
    },
  };
}

/** Past events have the entry keys that they would have had, so that nobody starts twice. */
function ofEvents(
  db: Db,
  { teamId, contactBookId }: AutomationRow,
  { name, from, to }: NonNullable<EnrollInput['events']>,
): Source {
  const found = sql`
    from custom_events e
    left join contacts c on c.team_id = e.team_id and c.contact_book_id = ${contactBookId}
      and c.email_key = e.address_key and not e.is_of_book
    where e.team_id = ${teamId} and e.name = ${name} and e.occurred_at >= ${from} and e.occurred_at < ${to}
      and coalesce(c.id, e.contact_id) is not null`;
  return {
    count: () => countRows(db, sql`select 1 ${found}`),
    async read(after) {
      const { rows } = await sql<
        Row<'custom_events', 'id' | 'data'> & {
          contactId: Row<'contacts'>['id'];
          at: Row<'custom_events'>['occurred_at'];
        }
      >`
        select coalesce(c.id, e.contact_id) as "contactId", e.id, e.data, e.occurred_at as at ${found}
          and (date_trunc('milliseconds', e.occurred_at), e.id)
            > (${after?.at ?? new Date(0)}::timestamptz, ${after?.entryKey ?? NOBODY}::uuid)
        order by date_trunc('milliseconds', e.occurred_at), e.id limit ${AT_ONCE}
      `.execute(db);
      return rows.map(({ contactId, id, data, at }) => ({
        contactId,
        entryKey: id,
        event: { id, name, data },
        at: new Date(at.getTime()),
      }));
    },
  };
}

async function countRows(db: Db, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${query} limit ${MOST}) counted
  `.execute(db);
  return rows[0]!.count;
}

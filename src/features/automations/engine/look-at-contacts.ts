/**
 * Triggers by segment and by date, which no event announces. Once a minute, contacts that have begun to match a segment
 * start a run, and so do those whose date has come since the last look. Runs of a paused automation start too, and wait.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { DAY_MS } from '../../../platform/durations.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { propertyText, segmentCondition } from '../../audience/segments/segment-condition.ts';
import type { SegmentFilter } from '../../audience/segments/segment-filter.ts';
import { readSegment } from '../../audience/segments/segments.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { parseDays } from '../definition/duration.ts';
import { momentOf, usableZone } from '../../../platform/time-of-day.ts';
import { startRuns, type LiveAutomation, type StartedBy } from '../runs/start-runs.ts';
import { takesPeople } from '../runs/takes-people.ts';

/** After a standstill, dates of the last two days still count. */
const LONGEST_BACK_MS = 2 * DAY_MS;
const AT_ONCE = 1_000;

type LookingAutomation = LiveAutomation & CamelRow<'automations', 'looked_at'> & { now: Date };

export async function lookAtContacts(db: Db, log: Log): Promise<void> {
  const { rows } = await sql<CamelRow<'automations', 'team_id' | 'id'>>`
    select team_id as "teamId", id from automations
    where looks_each_minute and deleted_at is null and ${takesPeople('automations')}
      and (looked_at is null or looked_at < now() - interval '50 seconds')
      and team_id not in (select id from teams where closed_at is not null)
  `.execute(db);
  for (const key of rows) {
    try {
      await inTransaction(db, (trx) => lookAt(trx, key));
    } catch (error) {
      // The segment of one team may be too slow. The others get their turn.
      log.error(
        { err: error, automationId: encodeId('aut', key.id) },
        'automations: cannot look at contacts',
      );
    }
  }
}

async function lookAt(trx: Db, { teamId, id }: { teamId: number; id: string }): Promise<void> {
  const { rows } = await sql<LookingAutomation>`
    select a.team_id as "teamId", a.id, a.contact_book_id as "contactBookId", a.version, v.definition,
      a.looked_at as "lookedAt", now() as now
    from automations a join automation_versions v on v.team_id = a.team_id and v.automation_id = a.id
      and v.version = a.version
    where a.team_id = ${teamId} and a.id = ${id} and ${takesPeople('a')} for update of a skip locked
  `.execute(trx);
  const automation = rows[0];
  if (!automation) return;
  const { trigger } = automation.definition;
  if (trigger && 'segmentId' in trigger)
    for (const contactIds of chunk(await findEntered(trx, automation, trigger.segmentId)))
      await startRuns(trx, automation, contactIds.map(toCause(automation.now)));
  if (trigger && 'date' in trigger) {
    for (const causes of chunk(await findDates(trx, automation, trigger.date)))
      await startRuns(trx, automation, causes);
  }
  await sql`update automations set looked_at = now() where team_id = ${teamId} and id = ${id}`.execute(trx);
}

function toCause(now: Date): (contactId: string) => StartedBy {
  return (contactId) => ({ contactId, entryKey: `segment ${now.toISOString()}`, event: null, at: now });
}

function chunk<Item>(items: Item[]): Item[][] {
  const chunks: Item[][] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) chunks.push(items.slice(at, at + AT_ONCE));
  return chunks;
}

/** Returns the contacts that match now and did not at the last look, and remembers them. */
export async function findEntered(
  trx: Db,
  { teamId, id, contactBookId }: Pick<LiveAutomation, 'teamId' | 'id' | 'contactBookId'>,
  segmentId: string,
): Promise<string[]> {
  const segment = await readSegment(trx, teamId, segmentId).catch(() => null);
  if (!segment || segment.contact_book_id !== contactBookId) return [];
  const condition = segmentCondition({ teamId, bookKey: contactBookId }, segment.filter as SegmentFilter);
  const { rows } = await sql<CamelRow<'automation_members', 'contact_id'>>`
    with matching as materialized (
      select c.id from contacts c where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId} and ${condition}
    ), left_it as (
      delete from automation_members m where m.team_id = ${teamId} and m.automation_id = ${id}
        and m.contact_id not in (select id from matching)
    )
    insert into automation_members (team_id, automation_id, contact_id)
    select ${teamId}, ${id}, matching.id from matching
    on conflict do nothing
    returning contact_id as "contactId"
  `.execute(trx);
  return rows.map(({ contactId }) => contactId);
}

type DateTrigger = Extract<NonNullable<AutomationDefinition['trigger']>, { date: unknown }>['date'];

/** The moment of a contact's date is in its own time zone, or in that of the automation. */
async function findDates(trx: Db, automation: LookingAutomation, date: DateTrigger): Promise<StartedBy[]> {
  const { teamId, contactBookId, lookedAt, now, definition } = automation;
  const since = new Date(Math.max((lookedAt ?? now).getTime(), now.getTime() - LONGEST_BACK_MS));
  const offsetDays = parseDays(date.offset ?? '0 days');
  const text = propertyText({ teamId, bookKey: contactBookId }, sql.ref('c.properties'), date.property);
  const zone = propertyText({ teamId, bookKey: contactBookId }, sql.ref('c.properties'), 'timezone');
  // Local days of the interval, with a day on each side for time zones.
  const days: string[] = [];
  for (let at = since.getTime() - DAY_MS; at <= now.getTime() + DAY_MS; at += DAY_MS / 2)
    days.push(...datesFor(new Date(at - offsetDays * DAY_MS), date.yearly));
  const { rows } = await sql<{ contactId: Row<'contacts'>['id']; day: string; zone: string | null }>`
    select c.id as "contactId", left(${text}, 10) as day, ${zone} as zone from contacts c
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId}
      and ${date.yearly ? sql`substring(${text} from 6 for 5)` : sql`left(${text}, 10)`} = any(${[...new Set(days)]}::text[])
  `.execute(trx);
  const [hour = 0, minute = 0] = date.at.split(':').map(Number);
  return rows.flatMap((row): StartedBy[] => {
    const timeZone = usableZone(row.zone, definition.timezone);
    for (const day of localDays(row.day, since, now, date.yearly)) {
      const shifted = new Date(day.getTime() + offsetDays * DAY_MS);
      const moment = momentOf(shifted, hour, minute, timeZone);
      if (moment > since && moment <= now)
        return [
          {
            contactId: row.contactId,
            entryKey: `date ${shifted.toISOString().slice(0, 10)}`,
            event: null,
            at: moment,
          },
        ];
    }
    return [];
  });
}

/** A birthday on 29 February is on 28 February in other years. */
function datesFor(day: Date, yearly: boolean): string[] {
  const text = day.toISOString().slice(0, 10);
  if (!yearly) return [text];
  const isShort = text.endsWith('-02-28') && new Date(day.getTime() + DAY_MS).getUTCMonth() !== 1;
  return [text.slice(5), ...(isShort ? ['02-29'] : [])];
}

function localDays(day: string, since: Date, now: Date, yearly: boolean): Date[] {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return [];
  if (!yearly) return [new Date(`${day}T00:00:00Z`)].filter((date) => !Number.isNaN(date.getTime()));
  const years = [];
  for (let year = since.getUTCFullYear() - 1; year <= now.getUTCFullYear() + 1; year += 1) years.push(year);
  return years.map((year) => {
    const exact = new Date(`${year}-${day.slice(5)}T00:00:00Z`);
    const isMissing = Number.isNaN(exact.getTime()) || exact.getUTCDate() !== Number(day.slice(8));
    return isMissing ? new Date(`${year}-02-28T00:00:00Z`) : exact;
  });
}

/** Reads what a step needs to decide: the contact, whether it matches, and what has happened. */
import { groupBy } from '../../../platform/group-by.ts';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { decodeId } from '../../../platform/ids.ts';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { TAGGED_COLUMNS, type TaggedContact } from '../../audience/own-fields/own-columns.ts';
import { readsRun } from '../../audience/segments/filter-references.ts';
import { topicCondition } from '../../audience/segments/topic-condition.ts';
import { matchesFilter, matchingContacts } from '../runs/match-filter.ts';
import type { RunRow } from '../runs/run-row.ts';
import type { AutomationDefinition, AutomationStep, StepOfType } from '../definition/automations.schema.ts';
import type { StepFacts } from './decide.ts';

export interface ContactFacts
  extends
    CamelRow<'contacts', 'id' | 'email' | 'email_key' | 'subscription' | 'subscription_changed_at'>,
    TaggedContact {
  isSuppressed: boolean;
}

/** By the ID of the contact. A contact that was deleted is missing. */
export async function readContacts(
  db: Db,
  runs: Pick<RunRow, 'teamId' | 'contactBookId' | 'contactId'>[],
): Promise<Map<string, ContactFacts>> {
  const found = new Map<string, ContactFacts>();
  for (const [teamId, ofTeam] of groupBy(runs, (run) => run.teamId)) {
    const { rows } = await sql<ContactFacts>`
      select c.id, c.email, c.email_key as "emailKey", ${TAGGED_COLUMNS}, c.subscription,
        c.subscription_changed_at as "subscriptionChangedAt", s.address_key is not null as "isSuppressed"
      from contacts c left join suppressions s on s.team_id = c.team_id and s.address_key = c.email_key
      where c.team_id = ${teamId} and c.contact_book_id = any(${[...new Set(ofTeam.map((run) => run.contactBookId))]}::uuid[])
        and c.id = any(${ofTeam.map((run) => run.contactId)}::uuid[]) and ${isInBook('c')}
    `.execute(db);
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

type FactsOfRun = Pick<
  RunRow,
  'teamId' | 'contactBookId' | 'contactId' | 'visit' | 'enteredAt' | 'startedAt' | 'event' | 'memory'
> & { id: string | null };

/** Whether the contacts of runs match the conditions that the runs have come to, by the ID of the run. */
export async function readMatches(
  db: Db,
  atSteps: { run: FactsOfRun & { id: string }; step: AutomationStep }[],
): Promise<Map<string, boolean>> {
  const matches = new Map<string, boolean>();
  const together = atSteps.filter(({ step }) => step.type === 'condition' && !readsRun(step.where));
  for (const [step, ofStep] of groupBy(together, (each) => each.step))
    for (const ofBook of groupBy(ofStep, ({ run }) => run.contactBookId).values()) {
      const { where } = step as StepOfType<'condition'>;
      const { run } = ofBook[0]!;
      const contactIds = ofBook.map((each) => each.run.contactId);
      const matching = new Set(await matchingContacts(db, run, contactIds, where, NO_VALUES));
      for (const each of ofBook) matches.set(each.run.id, matching.has(each.run.contactId));
    }
  return matches;
}

const NO_VALUES = { runId: null, event: {}, outputs: {} };

/** `matches` is what `readMatches` has found, if it has. */
export async function readFacts(
  db: Db,
  {
    run,
    step,
    definition,
    contact,
  }: { run: FactsOfRun; step: AutomationStep; definition: AutomationDefinition; contact: ContactFacts },
  matches?: boolean,
): Promise<StepFacts> {
  const facts: StepFacts = { contactZone: findTimeZone(contact.properties), timezone: definition.timezone };
  switch (step.type) {
    case 'condition':
      return { ...facts, matches: matches ?? (await matchesFilter(db, run, step.where, valuesOf(run))) };
    case 'wait':
      return { ...facts, happened: await hasHappened(db, run, step) };
    case 'email':
      return {
        ...facts,
        skip: await findSkipReason(db, run, step, contact),
        capUntil: await findCap(db, run, step, contact),
      };
    case 'webhook': {
      const call = run.memory.calls?.[`${step.key} ${run.visit}`];
      return { ...facts, called: call === undefined ? null : call === 'under way' ? undefined : call };
    }
    default:
      return facts;
  }
}

function valuesOf({ id, event, memory }: FactsOfRun) {
  return { runId: id, event: event?.data ?? {}, outputs: memory.outputs ?? {} };
}

function findTimeZone(properties: Record<string, unknown>): unknown {
  const key = Object.keys(properties).find((name) => name.toLowerCase() === 'timezone');
  return key === undefined ? undefined : properties[key];
}

/** Events of emails belong to the emails of the run. */
const OF_EMAILS = new Map([
  ['replied', 's.replied_at'],
  ['clicked', 'e.clicked_at'],
  ['email.clicked', 'e.clicked_at'],
  ['opened', 'e.opened_at'],
  ['email.opened', 'e.opened_at'],
]);

/** What started the run does not count. On a second visit, only what has happened since then counts. */
async function hasHappened(db: Db, run: FactsOfRun, step: StepOfType<'wait'>): Promise<boolean> {
  const since = step.since === 'run' && run.visit === 1 ? run.startedAt : run.enteredAt;
  const heard = run.memory.heard?.[step.where ? step.key : step.event];
  if (heard !== undefined && new Date(heard) >= since) return true;
  const column = OF_EMAILS.get(step.event);
  if (!column) return hasSentEvent(db, run, step, since);
  // A filter was compared with the event when it was read.
  if (step.where && step.event !== 'replied') return false;
  const { rows } = await sql`
    select 1 from automation_emails s left join emails e on e.team_id = s.team_id and e.id = s.email_id
    where s.team_id = ${run.teamId} and s.run_id = ${run.id}::uuid and ${sql.raw(column)} >= ${since} limit 1
  `.execute(db);
  return rows.length > 0 && matchesFilter(db, run, step.where, valuesOf(run));
}

async function hasSentEvent(
  db: Db,
  run: FactsOfRun,
  step: StepOfType<'wait'>,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql<Row<'custom_events', 'data'>>`
    select e.data from custom_events e
    where e.team_id = ${run.teamId} and e.name = ${step.event} and e.occurred_at >= ${since}
      and e.id is distinct from ${run.event?.id ?? null}::uuid
      and (e.contact_id = ${run.contactId} or not e.is_of_book and e.address_key = (
        select c.email_key from contacts c
        where c.team_id = ${run.teamId} and c.contact_book_id = ${run.contactBookId} and c.id = ${run.contactId}
      ))
    order by e.occurred_at limit 100
  `.execute(db);
  for (const { data } of rows) {
    const values = { ...valuesOf(run), event: data };
    if (await matchesFilter(db, run, step.where, values)) return true;
  }
  return false;
}

async function findSkipReason(
  db: Db,
  run: FactsOfRun,
  step: StepOfType<'email'>,
  contact: ContactFacts,
): Promise<string | null> {
  if (contact.isSuppressed) return 'suppressed';
  if (step.kind === 'transactional') return null;
  if (contact.subscription !== 'subscribed') return contact.subscription;
  if (!step.topicId) return null;
  const { rows } = await sql<{ isIn: boolean }>`
    select ${topicCondition(run.teamId, decodeId('top', step.topicId) ?? run.contactId, 'c')} as "isIn" from contacts c
    where c.team_id = ${run.teamId} and c.contact_book_id = ${run.contactBookId} and c.id = ${run.contactId}
  `.execute(db);
  return rows[0]?.isIn ? null : 'left_topic';
}

/** The team's frequency cap counts campaigns and marketing emails of automations, by address. */
async function findCap(
  db: Db,
  run: FactsOfRun,
  step: StepOfType<'email'>,
  contact: ContactFacts,
): Promise<Date | null> {
  if (step.kind === 'transactional') return null;
  const { rows } = await sql<{ until: Date | null }>`
    select (
      select e.created_at + make_interval(hours => (t.frequency_cap ->> 'hours')::integer)
      from all_email_recipients r join all_emails e on e.team_id = r.team_id and e.id = r.email_id
      left join automation_emails s on s.team_id = e.team_id and s.email_id = e.id
      where r.team_id = t.id and r.address_key = ${contact.emailKey} and (e.source = 'campaign' or s.is_marketing)
        and e.status not in ('CANCELLED', 'SUPPRESSED')
        and e.created_at > now() - make_interval(hours => (t.frequency_cap ->> 'hours')::integer)
      order by e.created_at desc offset (t.frequency_cap ->> 'count')::integer - 1 limit 1
    ) as until
    from teams t where t.id = ${run.teamId} and t.frequency_cap is not null
  `.execute(db);
  return rows[0]?.until ?? null;
}

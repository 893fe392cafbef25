/**
 * Walks through the draft of an automation with a clock of its own, by the same decisions. Steps that update the contact
 * do so in a transaction that is rolled back, so that later steps see it and nothing is changed.
 */
import { rolledBack, type Db } from '../../../platform/database/database.ts';
import { sql } from 'kysely';
import type { Row } from '../../../platform/database/rows.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/is-object.ts';
import type { AutomationDefinition, AutomationStep, StepOfType } from '../definition/automations.schema.ts';
import { findAutomation, type AutomationRow } from '../automations.ts';
import { findStep } from '../definition/graph.ts';
import { nextStep, waysOf } from '../definition/ways.ts';
import { decide, type StepFacts } from '../engine/decide.ts';
import { readContacts, readFacts, type ContactFacts } from '../engine/read-facts.ts';
import type { RenderedForContact } from '../../audience/rendering/render-for-contact.ts';
import { toRecipient } from '../engine/send-step-email.ts';
import { compileStepEmail, toReplySubject } from '../engine/step-email.ts';
import { updateContacts } from '../engine/update-step.ts';
import type { Simulation, SimulateInput } from './runs.schema.ts';

const LINKS = { unsubscribe: '#', preferences: '#' };
/** A circle ends here. */
const MOST_STEPS = 200;

export async function simulate(
  db: Db,
  teamId: number,
  automationId: string,
  input: SimulateInput,
): Promise<Simulation> {
  const automation = await findAutomation(db, teamId, automationId);
  return rolledBack(db, (trx) => walk(trx, automation, input));
}

async function walk(trx: Db, automation: AutomationRow, input: SimulateInput): Promise<Simulation> {
  const { teamId, definition } = automation;
  let contact = await findContact(trx, automation, input);
  const { subscription } = contact;
  const eventData = dataOfEvent(input.event ?? {});
  const startedAt = input.startAt ?? new Date();
  let now = startedAt;
  let enteredAt = startedAt;
  const visits = new Map<string, number>();
  const path: Simulation['path'] = [];
  let lastSubject: string | null = null;
  let step = definition.steps[0];
  while (step) {
    // As in a run: whoever unsubscribes on the way takes no further step.
    const hasLeft = contact.subscription === 'unsubscribed' && subscription !== 'unsubscribed';
    if (hasLeft && definition.exitOn.includes('unsubscribed')) return { path, end: 'exited: unsubscribed' };
    if (path.length >= MOST_STEPS) return { path, end: 'too_long' };
    const visit = (visits.get(step.key) ?? 0) + 1;
    visits.set(step.key, visit);
    const run = {
      id: null,
      teamId,
      automationId: automation.id,
      contactBookId: automation.contactBookId,
      contactId: contact.id,
      visit,
      enteredAt,
      startedAt,
      heldUntil: null,
      event: { id: null, name: '', data: eventData },
      memory: {},
    };
    const facts = await factsOf(trx, { run, step, definition, contact }, input.assume?.[step.key]);
    let decision = decide(step, run, facts, now);
    // The clock moves to the end of each wait.
    for (let turns = 0; decision.kind === 'wait' && turns < 3; turns++) {
      now = decision.until;
      decision = decide(step, run, facts, now);
    }
    if (decision.kind === 'exit') {
      path.push({ key: step.key, type: step.type, at: now.toISOString(), result: 'exit', email: null });
      return { path, end: `exited: ${decision.reason}` };
    }
    if (decision.kind === 'wait') return { path, end: 'waiting' };
    const email: RenderedForContact | null =
      step.type === 'email' && decision.effect === 'email'
        ? await show(trx, teamId, { step, run, contact, lastSubject })
        : null;
    lastSubject = email?.subject ?? lastSubject;
    if (step.type === 'update') {
      await updateContacts(trx, [{ run, step, recipient: toRecipient(run, contact, LINKS) }]);
      contact = (await readContacts(trx, [run])).get(contact.id) ?? contact;
    }
    const way = chooseWay(step, input.assume?.[step.key]) ?? decision.way;
    path.push({
      key: step.key,
      type: step.type,
      at: now.toISOString(),
      result: step.type === 'split' ? way : decision.result,
      email,
    });
    step = findStep(definition, nextStep(definition.steps, step, way));
    enteredAt = now;
  }
  return { path, end: 'done' };
}

/** An event may be given as runs show it, with its name and data, or as its data alone. */
function dataOfEvent(event: Record<string, unknown>): Record<string, unknown> {
  const { id: _, name, data, ...more } = event;
  const isWhole = typeof name === 'string' && isObject(data) && Object.keys(more).length === 0;
  return isWhole ? data : event;
}

function chooseWay(step: AutomationStep, assumed: string | undefined): string | undefined {
  return assumed !== undefined && waysOf(step).includes(assumed) ? assumed : undefined;
}

type Situation = Parameters<typeof readFacts>[1];

/** What is assumed takes the place of what is known. */
async function factsOf(db: Db, situation: Situation, assumed: string | undefined): Promise<StepFacts> {
  const facts = await readFacts(db, situation);
  const { step } = situation;
  if (step.type === 'webhook') return { ...facts, called: assumed === 'failed' ? 'failed' : 'ok' };
  if (assumed === undefined) return facts;
  if (step.type === 'condition') return { ...facts, matches: assumed === 'yes' };
  if (step.type === 'wait') return { ...facts, happened: assumed === 'received' };
  return facts;
}

async function show(
  db: Db,
  teamId: number,
  {
    step,
    run,
    contact,
    lastSubject,
  }: Pick<Situation, 'run' | 'contact'> & { step: StepOfType<'email'>; lastSubject: string | null },
): Promise<RenderedForContact | null> {
  const render = await compileStepEmail(db, teamId, step, contact);
  const email = render?.(toRecipient(run, contact, LINKS));
  if (!email) return null;
  return step.sameThread && lastSubject !== null ? { ...email, subject: toReplySubject(lastSubject) } : email;
}

async function findContact(
  db: Db,
  { teamId, contactBookId }: AutomationRow & { definition: AutomationDefinition },
  { contactId, email }: SimulateInput,
): Promise<ContactFacts> {
  const { rows } = await sql<Row<'contacts', 'id'>>`
    select id from contacts where team_id = ${teamId} and contact_book_id = ${contactBookId}
      and ${email ? sql`email_key = ${email.key}` : sql`id = ${decodeId('con', contactId!)}`}
  `.execute(db);
  const id = rows[0]?.id;
  const contact = id && (await readContacts(db, [{ teamId, contactBookId, contactId: id }])).get(id);
  if (!contact) throw notFound('Contact');
  return contact;
}

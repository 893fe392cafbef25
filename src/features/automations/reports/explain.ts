/** Says in sentences why someone is in an automation or not. */
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Db } from '../../../platform/database/database.ts';
import { findAutomation } from '../automations.ts';
import { getRun, listRunsOfContacts } from './runs.ts';
import type { AutomationRun, AutomationRunDetails } from './runs.schema.ts';

export async function explain(
  db: Db,
  teamId: number,
  automationId: string,
  address: Address,
): Promise<{ email: string; sentences: string[]; runs: AutomationRun[] }> {
  const automation = await findAutomation(db, teamId, automationId);
  const { rows } = await sql<Row<'contacts', 'id' | 'subscription'> & { isSuppressed: boolean }>`
    select c.id, c.subscription, s.address_key is not null as "isSuppressed"
    from contacts c left join suppressions s on s.team_id = c.team_id and s.address_key = c.email_key
    where c.team_id = ${teamId} and c.contact_book_id = ${automation.contactBookId} and c.email_key = ${address.key}
  `.execute(db);
  const contact = rows[0];
  const { email } = address;
  if (!contact)
    return { email, sentences: [`${email} is not in the contact book of this automation.`], runs: [] };
  const runs = await listRunsOfContacts(db, teamId, automation.id, [contact.id]);
  const sentences: string[] = [];
  if (automation.status !== 'ACTIVE') sentences.push(`The automation is ${automation.status}.`);
  if (contact.subscription !== 'subscribed')
    sentences.push(`${email} is ${contact.subscription}, so marketing emails are skipped.`);
  if (contact.isSuppressed) sentences.push(`${email} is suppressed, so no email is sent.`);
  if (runs.length === 0)
    sentences.push(`${email} has never entered. ${describeTrigger(automation.definition.trigger)}`);
  for (const run of runs.slice(0, 5)) sentences.push(...describeRun(await getRun(db, teamId, run.id)));
  if (runs.length > 0 && automation.definition.reentry === 'once')
    sentences.push('Everyone enters this automation once.');
  return { email, sentences, runs };
}

function describeTrigger(trigger: object | null): string {
  if (!trigger) return 'The automation has no trigger.';
  if ('event' in trigger) {
    const filter = 'where' in trigger && trigger.where ? ' that matches the filter' : '';
    return `It starts with the event ${String(trigger.event)}${filter}, and there was none for this contact since the automation is active.`;
  }
  if ('segmentId' in trigger) return 'It starts when the contact begins to match the segment.';
  return 'It starts when the date of the contact comes.';
}

function describeRun(run: AutomationRunDetails): string[] {
  const cause = run.event ? `by the event ${run.event.name}` : 'without an event';
  const sentences = [`Entered on ${run.startedAt} ${cause}.`];
  for (const { key, type, at, result } of run.history) sentences.push(`${at}: ${type} “${key}”: ${result}.`);
  if (run.status === 'ACTIVE') {
    const held = run.heldBy ? `, held by ${run.heldBy}` : '';
    sentences.push(`Waits at “${run.step}” until ${run.dueAt}${held}.`);
  } else {
    sentences.push(`Ended on ${run.endedAt}: ${run.status}${run.reason ? `, ${run.reason}` : ''}.`);
  }
  return sentences;
}

/** Changes the contacts of runs, in the transaction that moves the runs. */
import { groupBy } from '../../../platform/group-by.ts';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { givenOwnFields, OWN_FIELDS, type OwnField } from '../../audience/own-fields/own-fields.ts';
import { updateContactRows } from '../../audience/contacts/update-contacts.ts';
import { changeTopics } from '../../audience/topics/change-topics.ts';
import type { StepOfType } from '../definition/automations.schema.ts';
import type { RunRow } from '../runs/run-row.ts';
import { fillValue, type StepRecipient } from './step-email.ts';

export interface StepUpdate {
  run: Pick<RunRow, 'teamId' | 'automationId' | 'contactBookId' | 'contactId'>;
  step: StepOfType<'update'>;
  recipient: StepRecipient;
}

/** The contacts must be distinct. */
export async function updateContacts(trx: Db, updates: StepUpdate[]): Promise<void> {
  for (const ofBook of groupBy(updates, keyOf).values()) {
    const { teamId, contactBookId, automationId } = ofBook[0]!.run;
    const by = encodeId('aut', automationId);
    const changes = ofBook.map(({ run, step, recipient }) => ({
      id: run.contactId,
      update: fillUpdate(step, recipient),
    }));
    const some = changes.filter(({ update }) => Object.keys(update).length > 0);
    if (some.length > 0) await updateContactRows(trx, teamId, contactBookId, some, by);
    for (const [step, ofStep] of groupBy(ofBook, (each) => each.step)) {
      const contacts = ofStep.map(({ run }) => run.contactId);
      const topics = changesOfTopics(step);
      if (topics.length > 0)
        await changeTopics(trx, { teamId, book: contactBookId, contacts, changes: topics, by });
    }
  }
}

function keyOf({ run: { teamId, automationId, contactBookId } }: StepUpdate): string {
  return `${teamId} ${automationId} ${contactBookId}`;
}

function fillUpdate(step: StepOfType<'update'>, recipient: StepRecipient) {
  const properties: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(step.properties ?? {}))
    properties[name] = typeof value === 'string' ? fillValue(value, recipient) : value;
  for (const id of step.segments?.add ?? []) properties[id] = true;
  for (const id of step.segments?.remove ?? []) properties[id] = null;
  return {
    ...givenOwnFields((name) => fillField(step, name, recipient)),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(step.subscribed === false ? { subscribed: false } : {}),
  };
}

function fillField(step: StepOfType<'update'>, name: OwnField, recipient: StepRecipient) {
  const value = step[name];
  return typeof value === 'string' ? fillValue(value, recipient).slice(0, OWN_FIELDS[name].max) : value;
}

function changesOfTopics({ topics }: StepOfType<'update'>): { id: string; subscribed: boolean }[] {
  return [
    ...(topics?.join ?? []).map((id) => ({ id, subscribed: true })),
    ...(topics?.leave ?? []).map((id) => ({ id, subscribed: false })),
  ];
}

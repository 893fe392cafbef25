/** Changes the contact of a run, in the transaction that moves the run. */
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { updateContactRows } from '../../audience/contacts/update-contacts.ts';
import { changeTopics } from '../../audience/topics/change-topics.ts';
import type { StepOfType } from '../definition/automations.schema.ts';
import type { RunRow } from '../runs/run-row.ts';
import { fillValue, type StepRecipient } from './step-email.ts';

export async function updateContactOfRun(
  trx: Db,
  run: Pick<RunRow, 'teamId' | 'automationId' | 'contactBookId' | 'contactId'>,
  step: StepOfType<'update'>,
  recipient: StepRecipient,
): Promise<void> {
  const { teamId, contactBookId, contactId } = run;
  const by = encodeId('aut', run.automationId);
  const fill = (value: string | null | undefined) =>
    typeof value === 'string' ? fillValue(value, recipient).slice(0, 200) : value;
  const properties: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(step.properties ?? {}))
    properties[name] = typeof value === 'string' ? fillValue(value, recipient) : value;
  for (const id of step.segments?.add ?? []) properties[id] = true;
  for (const id of step.segments?.remove ?? []) properties[id] = null;
  const update = {
    ...(step.firstName === undefined ? {} : { firstName: fill(step.firstName) }),
    ...(step.lastName === undefined ? {} : { lastName: fill(step.lastName) }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(step.subscribed === false ? { subscribed: false } : {}),
  };
  if (Object.keys(update).length > 0)
    await updateContactRows(trx, teamId, contactBookId, [{ id: contactId, update }], by);
  const changes = [
    ...(step.topics?.join ?? []).map((id) => ({ id, subscribed: true })),
    ...(step.topics?.leave ?? []).map((id) => ({ id, subscribed: false })),
  ];
  if (changes.length > 0)
    await changeTopics(trx, { teamId, book: contactBookId, contacts: [contactId], changes, by });
}

/** Reads and changes the automatic reply of a mailbox with the field names of our API. */
import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { AutomaticReply, AutomaticReplyUpdate } from './vacation.schema.ts';
import { changeVacation, readVacation, type VacationFields } from './vacation-response.ts';

export async function getAutomaticReply(db: Db, caller: Caller, mailboxId: string): Promise<AutomaticReply> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  return present(await readVacation(db, { teamId: caller.teamId, mailboxId: id }));
}

export async function updateAutomaticReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  update: AutomaticReplyUpdate,
): Promise<AutomaticReply> {
  const { id } = await requireMailbox(db, caller, mailboxId, 'settings');
  const mailbox = { teamId: caller.teamId, mailboxId: id };
  const change = withoutMissing({
    isEnabled: update.enabled,
    fromDate: update.from,
    toDate: update.until,
    subject: update.subject,
    textBody: update.text,
    htmlBody: update.html,
  });
  const next = { ...(await readVacation(db, mailbox)), ...change };
  if (next.fromDate && next.toDate && next.fromDate >= next.toDate)
    throw invalidField('until', 'must be later than the start');
  return present(await changeVacation(db, mailbox, change));
}

/** Undefined leaves the field unchanged. */
function withoutMissing(fields: {
  [Name in keyof VacationFields]: VacationFields[Name] | undefined;
}): Partial<VacationFields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function present({
  isEnabled,
  fromDate,
  toDate,
  subject,
  textBody,
  htmlBody,
}: VacationFields): AutomaticReply {
  return {
    enabled: isEnabled,
    from: fromDate?.toISOString() ?? null,
    until: toDate?.toISOString() ?? null,
    subject,
    text: textBody,
    html: htmlBody,
  };
}

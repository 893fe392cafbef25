/** Reads what a mailbox knows of the sender of a message. Messages that arrive at the same time share the statement. */
import { sql } from 'kysely';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { toJson } from '../../../platform/database/database.ts';
import { formsOf, mailOfForms } from '../storage/of-person.ts';
import { keyOfPerson } from '../storage/participants.ts';

export interface SenderHistory {
  /** The mailbox has written to the sender, or the message answers one of the mailbox. */
  isCorrespondent: boolean;
  /** Earlier messages of the sender that were read and are neither in spam nor in trash. */
  kept: number;
  isFirst: boolean;
  /** Whether the team has moved mail to spam or out of it. */
  hasTaught: boolean;
}

interface Asked {
  teamId: number;
  mailboxId: string;
  senderKey: string | null;
  /** The Message-IDs that the message refers to. */
  references: readonly string[];
}

const MAX_COMPARED = 50;
const MAX_REFERENCES = 50;

interface Correspondence {
  d: 'in' | 'out';
  s: string;
  t: string[];
  k: boolean;
}

interface HistoryRow {
  hasTaught: boolean;
  answers: boolean;
  mail: Correspondence[] | null;
}

export const readHistory = createBatcher<Asked, SenderHistory>({
  keyOf: ({ teamId }) => String(teamId),
  async work(db, asked) {
    const { teamId } = asked[0];
    const mail = mailOfForms({ teamId, mailbox: sql`a.mailbox`, key: sql`a.key`, shown: sql`a.shown` });
    const { rows } = await sql<HistoryRow>`
      select exists (select from spam_learning where team_id = ${teamId}) as "hasTaught",
        exists (
          select from json_array_elements_text(a.referred) as referred (id)
          cross join lateral (
            select from messages where team_id = ${teamId} and mailbox_id = a.mailbox and direction = 'out'
              and message_id = referred.id limit 1
          ) answered
        ) as answers,
        case when a.key is not null then (
          select json_agg(json_build_object('d', direction, 's', sender, 't', to_addresses || cc_addresses,
            'k', read and folder not in ('spam', 'trash')))
          from (
            select direction, sender, to_addresses, cc_addresses, read, folder from ${mail} m limit ${MAX_COMPARED}
          ) found
        ) end as mail
      from json_to_recordset(${toJson(asked.map(toRow))}::json)
        as a (no integer, mailbox uuid, key text, shown text, referred json)
      order by a.no
    `.execute(db);
    return asked.map((one, no) => toHistory(rows[no]!, one));
  },
});

function toRow({ mailboxId, senderKey, references }: Asked, no: number) {
  const [key, shown] = senderKey === null ? [null, null] : formsOf(senderKey);
  return { no, mailbox: mailboxId, key, shown, referred: references.slice(-MAX_REFERENCES) };
}

function toHistory({ hasTaught, answers, mail }: HistoryRow, { senderKey }: Asked): SenderHistory {
  const letters = mail ?? [];
  const received = letters.filter(({ d, s }) => d === 'in' && keyOfPerson(s) === senderKey);
  const hasWritten = letters.some(
    ({ d, t }) => d === 'out' && t.some((person) => keyOfPerson(person) === senderKey),
  );
  return {
    isCorrespondent: answers || hasWritten,
    kept: received.filter(({ k }) => k).length,
    isFirst: received.length === 0,
    hasTaught,
  };
}

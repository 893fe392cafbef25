/** Enqueues an automatic reply for each received message whose mailbox has one, in the transaction that stores them. */
import { statement, toJson, type Db } from '../../../platform/database/database.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';

export interface AnswerableDelivery {
  teamId: number;
  mailboxId: string;
  messageId: string;
  /** The recipient of the reply. */
  address: string;
}

/** This is one statement, because almost all mailboxes have no automatic reply. */
export async function answerLater(trx: Db, deliveries: AnswerableDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await statement(trx)`
    select add_job('send-vacation-reply', json_build_object('teamId', d."teamId", 'mailboxId',
      d."mailboxId", 'messageId', d."messageId", 'address', d.address), most_attempts => ${MAX_ATTEMPTS}::integer)
    from json_to_recordset(${toJson(deliveries)}::json)
      as d ("teamId" integer, "mailboxId" uuid, "messageId" uuid, address text)
    join vacation_responses v on v.team_id = d."teamId" and v.mailbox_id = d."mailboxId" and v.is_enabled
      and (v.from_date is null or v.from_date <= now()) and (v.to_date is null or v.to_date > now())`;
}

/** What automations do in mailboxes: keep a copy of what they send from one, and act on conversations. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { MailboxActions, OutgoingStepEmail } from '../../automations/engine/send-step-email.ts';
import { collectPeople } from '../storage/participants.ts';
import { NO_FLAGS, storeMessages } from '../storage/store-message.ts';
import { actOnThread } from './automation-threads.ts';
import { cleanOwnHtml } from '../storage/own-html.ts';

export const mailboxActions: MailboxActions = {
  keepSent,
  actOnThread,
};

/** A follow-up is in the thread of the email that it follows. */
async function keepSent(trx: Db, email: OutgoingStepEmail, messageId: string): Promise<void> {
  const { teamId, mailboxId, reply } = email;
  const { rows } = await sql<Row<'messages', 'thread_id'>>`
    select thread_id from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and message_id = ${reply?.inReplyTo ?? null} limit 1
  `.execute(trx);
  await storeMessages(trx, [
    {
      message: {
        teamId,
        mailboxId: mailboxId!,
        id: newUuid(),
        direction: 'out',
        folder: 'sent',
        flags: { ...NO_FLAGS, read: true },
        labels: [],
        emailId: email.id,
        cancelIfReplied: false,
        messageId,
        inReplyTo: reply?.inReplyTo ?? null,
        references: reply?.references ?? [],
        from: email.from.given,
        to: [email.to.given],
        cc: [],
        bcc: [],
        replyTo: email.replyTo.map(({ given }) => given),
        subject: email.email.subject,
        text: email.email.text,
        html: (await cleanOwnHtml(email.email.html)) || null,
        authentication: null,
        raw: null,
        deliveryKey: null,
        files: [],
        createdAt: new Date(),
      },
      thread: {
        id: rows[0]?.thread_id ?? newUuid(),
        people: collectPeople([email.to.given], email.from.key),
        movesToTop: true,
        event: 'message.left',
      },
    },
  ]);
}

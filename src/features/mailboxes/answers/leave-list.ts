/** Leaves the mailing list that sent a message, when a person asks for it. */
import { parseAddress } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { listOwnAddresses } from '../addresses/choose-sender.ts';
import { readMailto } from '../lists/list-unsubscribe.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { getMessage } from '../reading/messages.ts';
import { messageInput } from '../writing/sending.schema.ts';
import { requireSubmitted, sendMessage } from '../writing/send.ts';

export async function leaveList(db: Db, caller: Caller, messageId: string): Promise<'one_click' | 'mailto'> {
  const { unsubscribe, delivered_to: deliveredTo } = await getMessage(db, caller, messageId, 'reply');
  if (!unsubscribe) throw badRequest('The message has no signed header that says how to leave its list.');
  if (unsubscribe.one_click && unsubscribe.url) {
    await enqueue(db, 'leave-list', { url: unsubscribe.url });
    return 'one_click';
  }
  const mailto = unsubscribe.mailto === null ? null : readMailto(unsubscribe.mailto);
  if (!mailto) throw badRequest('This list can only be left on its page. Open the URL in `unsubscribe.url`.');
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('messages')
      .select('mailbox_id')
      .where('team_id', '=', caller.teamId)
      .where('id', '=', decodeId('msg', messageId))
      .executeTakeFirstOrThrow();
    const mailbox = await requireMailbox(trx, caller, encodeId('mbx', row.mailbox_id));
    // Lists know the address that they wrote to.
    const own = await listOwnAddresses(trx, caller.teamId, mailbox);
    const from = own.find(({ key }) => key === parseAddress(deliveredTo ?? '')?.key) ?? own[0]!;
    const input = messageInput.parse({
      from: from.email,
      to: [mailto.to],
      subject: mailto.subject,
      text: mailto.body,
      undo_seconds: 0,
    });
    requireSubmitted(await sendMessage(trx, caller, encodeId('mbx', mailbox.id), input));
  });
  return 'mailto';
}

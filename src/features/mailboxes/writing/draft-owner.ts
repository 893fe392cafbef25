/**
 * A draft belongs to the person who wrote it. Others see it with the name, and change, send or delete it only after they
 * have taken it over. A draft whose author has no access to the mailbox any more belongs to nobody, and so do those of
 * API keys and email apps.
 */
import { sql } from 'kysely';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { listReaders } from '../access/readers.ts';
import { recordActivity, userKeyOf } from '../activity/record-activity.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { getMessage } from '../reading/messages.ts';
import type { Message } from '../reading/threads.schema.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { requireDraft, type DraftRow } from './draft-rows.ts';

const MAX_KEPT = 20_000;

interface Owner {
  user_id: string;
  name: string;
}

/** Locks the draft. Throws CONFLICT with the owner if it belongs to someone else. */
export async function requireOwnDraft(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  draftId: string,
): Promise<DraftRow> {
  const draft = await requireDraft(trx, caller, mailbox, draftId);
  const owner = await findOtherOwner(trx, caller, mailbox.id, draft);
  if (owner)
    throw new AppError('CONFLICT', `This draft belongs to ${owner.name}. Take it over to change it.`, {
      owner,
    });
  return draft;
}

async function findOtherOwner(
  trx: Db,
  caller: Caller,
  mailboxKey: string,
  { author_id: authorId }: DraftRow,
): Promise<Owner | null> {
  if (authorId === null || authorId === userKeyOf(caller)) return null;
  const name = (await listReaders(trx, caller.teamId, mailboxKey)).get(authorId);
  return name === undefined ? null : { user_id: encodeId('usr', authorId), name };
}

/** For email apps, which cannot take drafts over. `userId` is a UUID, or null for a password that an API key made. */
export async function refuseOthersDrafts(
  db: Db,
  { teamId, mailboxId, userId }: { teamId: number; mailboxId: string; userId: string | null },
  messageIds: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ author_id: NonNullable<Row<'messages'>['author_id']> }>`
    select distinct author_id from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = any(${messageIds}::uuid[])
      and ${isDraft('messages')} and author_id is distinct from ${userId} and author_id is not null
  `.execute(db);
  if (rows.length === 0) return;
  const readers = await listReaders(db, teamId, mailboxId);
  const name = rows.map(({ author_id: id }) => readers.get(id)).find((each) => each !== undefined);
  if (name === undefined) return;
  throw new AppError('FORBIDDEN', `This draft belongs to ${name}. Take it over in webmail to change it.`);
}

/** The activity of the thread keeps the text of the person who loses the draft. */
export async function takeOverDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'draft');
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    const { teamId } = caller;
    const owner = await findOtherOwner(trx, caller, mailbox.id, draft);
    if (owner) {
      const text = draft.text ?? htmlToPlainText(draft.html ?? '', MAX_KEPT);
      const data = {
        message_id: draftId,
        from: owner,
        subject: draft.subject,
        text: text.slice(0, MAX_KEPT).toWellFormed(),
      };
      await recordActivity(trx, caller, [
        { mailboxId: mailbox.id, threadId: draft.thread_id, type: 'draft_taken', data },
      ]);
    }
    await sql`
      update messages set author_id = ${userKeyOf(caller)} where team_id = ${teamId} and id = ${draft.id}
    `.execute(trx);
    await recordThreadChanges(trx, teamId, mailbox.id, [draft.thread_id]);
    return getMessage(trx, caller, draftId);
  });
}

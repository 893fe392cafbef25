/**
 * Reads what email apps show in a list of messages: flags, dates, sizes, header fields, ENVELOPE and BODYSTRUCTURE.
 */
import { readListedMessages } from '../../features/mailboxes/email-apps/listed-messages.ts';
import type { FolderSession } from '../session/session.ts';
import type { FetchedMessage } from './fetched-message.ts';
import type { FetchPlan } from './plan-fetch.ts';
import { readAhead } from './read-ahead.ts';
import { readRows } from './read-rows.ts';

/** The number of messages that one statement reads. */
const BATCH = 250;

export async function* readListed(
  session: FolderSession,
  plan: FetchPlan,
  uids: readonly number[],
): AsyncGenerator<Iterable<FetchedMessage>> {
  const { tools, login, selected } = session;
  const read = (asked: readonly number[]) =>
    readListedMessages(tools.db, login, selected.folder.id, asked, plan.texts);
  for await (const [, { messages, others }] of readAhead(uids, BATCH, read)) {
    yield messages;
    yield* readRows(session, plan, others);
  }
}

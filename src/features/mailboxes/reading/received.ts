/** Reads the messages that the mailboxes of a team have received. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';
import { boundDomains } from '../mailboxes/find-mailbox.ts';
import {
  MESSAGE_TABLES,
  presentMessage,
  COLUMNS_WITHOUT_BODY,
  getMessage,
  type MessageRow,
} from './messages.ts';
import type { Message } from './threads.schema.ts';

export type ReceivedMessage = Message & { mailbox: string };

/** Does not find messages that were written here. */
export async function getReceived(db: Db, caller: Caller, messageId: string): Promise<ReceivedMessage> {
  const message = await getMessage(db, caller, messageId);
  const { rows } = await sql<{ mailbox: Row<'mailboxes'>['address'] }>`
    select box.address as mailbox from messages m
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = ${decodeId('msg', messageId)} and m.direction = 'in'
  `.execute(db);
  if (!rows[0]) throw notFound('Message');
  return { ...message, mailbox: rows[0].mailbox };
}

/** Lists the newest first. A message in several mailboxes is listed once for each. */
export async function listReceived(
  db: Db,
  caller: Caller,
  page: PageRequest,
): Promise<Page<ReceivedMessage>> {
  const start = readPageStart('msg', page);
  const domains = caller.domainIds === null ? null : await boundDomains(db, caller);
  const { rows } = await sql<MessageRow & { mailbox: Row<'mailboxes'>['address'] }>`
    select ${COLUMNS_WITHOUT_BODY}, null as text, null as html, null as display_html, box.address as mailbox
    from ${MESSAGE_TABLES}
    join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.direction = 'in' and ${fromStart(start, 'm.id')}
      and ${mayRead(caller, 'box')} ${domains === null ? sql`` : sql`and box.domain = any (${domains}::text[])`}
    order by m.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, ({ mailbox, ...row }) => ({ ...presentMessage(row), mailbox }));
}

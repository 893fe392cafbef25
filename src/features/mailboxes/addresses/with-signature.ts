import { sql } from 'kysely';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';

const MAX_PLAIN = 10_000;

/** Puts the default signature of the person and the address below the message. */
export async function withSignature<Message extends { html?: string | null; text?: string | null }>(
  db: Db,
  caller: Caller,
  mailboxId: string,
  addressId: string | null,
  message: Message,
): Promise<Message> {
  const userId = caller.person ? decodeId('usr', caller.person.userId) : null;
  const { rows } = await sql<Row<'mailbox_signatures', 'html'>>`
    select html from mailbox_signatures
    where team_id = ${caller.teamId} and mailbox_id = ${mailboxId} and is_default
      and (user_id is null or user_id = ${userId}) and (address_id is null or address_id = ${addressId})
    order by user_id is null, address_id is null limit 1
  `.execute(db);
  const signature = rows[0]?.html;
  if (!signature) return message;
  const plain = htmlToPlainText(signature, MAX_PLAIN);
  return {
    ...message,
    ...(message.html ? { html: aboveQuote(message.html, `<p>-- <br></p>${signature}`) } : {}),
    ...(message.text ? { text: `${message.text}\n\n-- \n${plain}` } : {}),
  };
}

/** The quoted message of a reply, as webmail and most email apps mark it. */
const QUOTE = '<div class="gmail_quote';

function aboveQuote(html: string, signature: string): string {
  const at = html.indexOf(QUOTE);
  return at < 0 ? html + signature : html.slice(0, at) + signature + html.slice(at);
}

/**
 * Emails to people about their own account. Most contain a link that grants access, so the source `account` hides
 * their content from everyone. They are not sent in the sandbox. Those with such a link are not sent to a mailbox of
 * this instance, which the mailbox's whole team can read.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql, type RawBuilder } from 'kysely';
import { renderEditorDocument } from '../../../mail/html/editor/editor-html.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { findDestination } from '../../mailboxes/mailboxes/find-mailbox.ts';
import { isSuppressed } from '../../sending/suppressions/suppressions.ts';

/** How many teams of a person are asked. */
const MAX_SENDERS = 20;

interface AccountMail {
  subject: string;
  lead: string;
  /** The label of the link. */
  action: string;
  url: string;
  foot: string;
}

/** Tells whether anyone on this instance can send account email: mail leaves it, and there is a verified domain. */
export async function canInstanceMail(db: Db, facts: Facts): Promise<boolean> {
  if (facts.mailTransport === 'sandbox') return false;
  const { rows } = await sql`select from domains where held limit 1`.execute(db);
  return rows.length > 0;
}

/** Finds the first of these teams that can send an account email to this address. */
export async function findSender(
  db: Db,
  facts: Facts,
  teamIds: number[],
  address: string,
  { isSecret }: { isSecret: boolean } = { isSecret: true },
): Promise<number | null> {
  if (facts.mailTransport === 'sandbox') return null;
  if (isSecret && (await findDestination(db, address)) !== null) return null;
  for (const teamId of teamIds) {
    if ((await findNoReply(db, teamId)) && !(await isSuppressed(db, teamId, address))) return teamId;
  }
  return null;
}

/** The senders for the people `u` that the condition finds, of the teams that they used last first. */
export async function listSendersFor(db: Db, who: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<Row<'memberships', 'team_id'>>`
    select m.team_id from memberships m join users u on u.id = m.user_id
    where ${who} order by m.last_seen_at desc nulls last, m.team_id limit ${MAX_SENDERS}
  `.execute(db);
  return listSenders(
    db,
    rows.map(({ team_id }) => team_id),
  );
}

/**
 * Returns the teams that can send from a domain of their own, in the given order, and last the first team, which runs
 * the server. Teams that are moving are left out.
 */
export async function listSenders(db: Db, teamIds: number[]): Promise<number[]> {
  const { rows } = await sql<Row<'teams', 'id'>>`
    select t.id from teams t
    where (t.id = any(${teamIds}::integer[]) or t.id = (select min(id) from teams)) and t.closed_at is null
      and exists (select from domains d where d.team_id = t.id and d.held)
    order by array_position(${teamIds}::integer[], t.id) nulls last`.execute(db);
  return rows.map(({ id }) => id);
}

/** The caller must have found the team with `findSender`. */
export async function mailAccount(db: Db, teamId: number, address: string, mail: AccountMail): Promise<void> {
  const { subject, lead, action, url, foot } = mail;
  const content = renderEditorDocument(
    JSON.stringify({
      type: 'doc',
      content: [
        paragraphOf(lead),
        { type: 'button', attrs: { text: action, url } },
        paragraphOf(url),
        paragraphOf(foot),
      ],
    }),
  )!;
  await sendAccountMail(db, teamId, address, { subject, ...content });
}

/** The caller must have found the team with `findSender`. */
export async function sendAccountMail(
  db: Db,
  teamId: number,
  address: string,
  content: { subject: string; html?: string; text: string },
): Promise<void> {
  await submit(db, {
    source: 'account',
    caller: { teamId, ...AS_SERVER },
    content: {
      kind: 'fields',
      email: {
        from: (await findNoReply(db, teamId))!,
        to: [toMailbox(address)],
        ...content,
        headers: AUTOMATIC,
      },
    },
  });
}

function paragraphOf(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}

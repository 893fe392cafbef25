/**
 * Addresses to which rules forward. A mailbox of the same team needs no consent. Anyone else gets an email with a link,
 * and nothing is forwarded until its owner has confirmed.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import { escapeText } from '../../../mail/html/entities.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { AUTOMATIC, toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { findMailboxByAddress, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { formatPerson } from '../storage/participants.ts';
import type { RuleAction } from './rules.schema.ts';

export type ForwardTools = Pick<Facts, 'baseUrl' | 'wakeDeliveryWorkers'>;

const TOKEN_BYTES = 24;
const LINK_DAYS = 30;
/** The path of the page that confirms. */
export const FORWARD_PATH = '/forwarding/';

/** Asks the owners of addresses that have not been asked in the last day. */
export async function askForwardTargets(
  trx: Db,
  { baseUrl, wakeDeliveryWorkers }: ForwardTools,
  { teamId }: Pick<Caller, 'teamId'>,
  mailbox: MailboxRow,
  actions: readonly RuleAction[],
): Promise<void> {
  for (const action of actions) {
    const target = action.type === 'forward' ? parseAddress(action.to) : null;
    if (!target || (await findMailboxByAddress(trx, teamId, target.email))) continue;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { rows } = await sql`
      insert into forward_targets as f (team_id, mailbox_id, address_key, address, token_hash)
      values (${teamId}, ${mailbox.id}, ${target.key}, ${target.email}, ${sha256(token)})
      on conflict (team_id, mailbox_id, address_key) do update
        set token_hash = excluded.token_hash, asked_at = now()
        where f.confirmed_at is null and f.asked_at not between now() - interval '1 day' and now()
      returning 1
    `.execute(trx);
    if (rows.length === 0 || (await findHeldDomain(trx, teamId, mailbox.domain)) === undefined) continue;
    const link = `${baseUrl}${FORWARD_PATH}${token}`;
    const from = formatPerson(mailbox);
    await submit(trx, {
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: {
        kind: 'fields',
        leavesAt: null,
        email: {
          from: toMailbox(from),
          to: [{ ...parseMailbox(target.email)!, given: target.email }],
          subject: `Agree to get mail of ${mailbox.address}`,
          text: `The mailbox ${mailbox.address} wants to forward mail to you. If you agree, open this link and confirm:\n\n${link}\n\nIf you do not expect this, ignore this email. Nothing is forwarded to you then.\n`,
          html: `<p>The mailbox ${escapeText(mailbox.address)} wants to forward mail to you.</p><p>If you agree, <a href="${escapeText(link)}">open this page and confirm</a>.</p><p>If you do not expect this, ignore this email. Nothing is forwarded to you then.</p>`,
          headers: AUTOMATIC,
        },
      },
    });
    wakeDeliveryWorkers();
  }
}

/** The normalised addresses whose owners have not agreed yet. */
export async function listPendingTargets(
  db: Db,
  teamId: number,
  mailboxId: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<Row<'forward_targets', 'address_key'>>`
    select address_key from forward_targets
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and confirmed_at is null
  `.execute(db);
  return new Set(rows.map(({ address_key }) => address_key));
}

/** Whether mail may be forwarded to the address now. */
export async function mayForwardTo(
  db: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
  address: string,
): Promise<boolean> {
  if (await findMailboxByAddress(db, teamId, address)) return true;
  const { rows } = await sql`
    select 1 from forward_targets where team_id = ${teamId} and mailbox_id = ${mailboxId}
      and address_key = ${parseAddress(address)?.key ?? ''} and confirmed_at is not null
  `.execute(db);
  return rows.length > 0;
}

export interface ForwardRequest extends CamelRow<'forward_targets', 'address'> {
  mailbox: Row<'mailboxes'>['address'];
}

/** Returns null if the link is wrong or has expired. */
export async function findForwardRequest(db: Db, token: string): Promise<ForwardRequest | null> {
  const { rows } = await sql<ForwardRequest>`
    select f.address, m.address as mailbox from forward_targets f
    join mailboxes m on m.team_id = f.team_id and m.id = f.mailbox_id
    where f.token_hash = ${sha256(token)}
      and (f.confirmed_at is not null or f.asked_at > now() - make_interval(days => ${LINK_DAYS}))
  `.execute(db);
  return rows[0] ?? null;
}

/** Returns false if the link is wrong or has expired. */
export async function confirmForward(db: Db, token: string): Promise<boolean> {
  const { rows } = await sql`
    update forward_targets set confirmed_at = coalesce(confirmed_at, now())
    where token_hash = ${sha256(token)}
      and (confirmed_at is not null or asked_at > now() - make_interval(days => ${LINK_DAYS}))
    returning 1
  `.execute(db);
  return rows.length > 0;
}

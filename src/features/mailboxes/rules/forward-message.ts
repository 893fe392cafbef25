/**
 * Forwards a received message as it is. The envelope gets a return path of the mailbox's domain, as SRS does, so that SPF
 * passes and bounces come back to us. The author, the body and the signatures stay, and an ARC seal says what we have
 * checked. Spam, mail that fails DMARC, and mail that has been here before are not forwarded.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { sealForwarded } from '../../../mail/auth/arc-seal.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { readAnyHeaders, removeHeaders, valuesOf } from '../../../mail/mime/parse/raw-headers.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { RuleJob } from '../../jobs/jobs.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { openDomainKey } from '../../sending/domains/domain-keys.ts';
import { submit } from '../../sending/emails/submit.ts';
import { readMessageSource } from '../reading/messages.ts';
import { mayForwardTo } from './forward-targets.ts';

/** A message with more Received fields is in a loop (RFC 5321 section 6.3). */
const MAX_HOPS = 20;
const MARK = 'X-Posthorn-Forwarded';

type Forwarded = CamelRow<'messages', 'folder' | 'authentication' | 'subject'> &
  CamelRow<'mailboxes', 'address' | 'address_key' | 'domain'>;

/** Returns why the message was not forwarded, or null. */
export async function forwardMessage(
  db: Db,
  secret: Buffer,
  job: RuleJob,
  to: string,
): Promise<string | null> {
  const { teamId, mailboxId, messageId } = job;
  const recipient = parseMailbox(to);
  const found = await findForwarded(db, teamId, messageId);
  if (!found || !recipient) return null;
  const { authentication } = found;
  const verdicts = authentication as { dmarc: string; arc: string } | null;
  if (found.folder === 'spam' || (verdicts && ['fail', 'permerror'].includes(verdicts.dmarc)))
    return 'Spam and mail that fails DMARC is not forwarded.';
  if (!(await mayForwardTo(db, { teamId, mailboxId }, to))) return `The owner of ${to} has not agreed yet.`;
  const source = await readMessageSource(db, teamId, messageId);
  if (!source) return null;
  const section = readAnyHeaders(source);
  const mark = markOf(mailboxId);
  if (valuesOf(section, 'received').length > MAX_HOPS || valuesOf(section, MARK).includes(mark))
    return 'The message was not forwarded, because it goes round in circles.';
  const domainId = await findHeldDomain(db, teamId, found.domain);
  if (domainId === undefined) return `The domain ${found.domain} is not verified.`;
  const path = section.headers.filter(({ name }) => name.toLowerCase() === 'return-path');
  const { raw: body } = removeHeaders(source, section, new Set(path));
  const marked = Buffer.concat([Buffer.from(`${MARK}: ${mark}\r\n`), body]);
  const results = valuesOf(section, 'authentication-results')[0];
  const sealed = results
    ? await seal(db, secret, domainId, found, marked, { results, arc: verdicts?.arc })
    : marked;
  await inTransaction(db, async (trx) => {
    const id = idOfForward(job);
    const { rows } = await sql`select 1 from emails where team_id = ${teamId} and id = ${id}`.execute(trx);
    if (rows.length > 0) return;
    await submit(trx, {
      id,
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: {
        kind: 'raw',
        raw: sealed,
        recipients: [recipient],
        forwardedBy: { address: found.address, domainId },
      },
    });
  });
  return null;
}

async function findForwarded(db: Db, teamId: number, messageId: string): Promise<Forwarded | undefined> {
  const { rows } = await sql<Forwarded>`
    select m.folder, m.authentication, m.subject, b.address, b.address_key as "addressKey", b.domain
    from messages m join mailboxes b on b.team_id = m.team_id and b.id = m.mailbox_id
    where m.team_id = ${teamId} and m.id = ${messageId}
  `.execute(db);
  return rows[0];
}

async function seal(
  db: Db,
  secret: Buffer,
  domainId: number,
  { domain }: Pick<Forwarded, 'domain'>,
  raw: Buffer,
  { results, arc }: { results: string; arc: string | undefined },
): Promise<Buffer> {
  const { rows } = await sql<Row<'domains', 'dkim_selector' | 'private_key'>>`
    select dkim_selector, private_key from domains where id = ${domainId}
  `.execute(db);
  if (!rows[0]) return raw;
  const privateKey = openDomainKey(secret, rows[0].private_key);
  const chain = arc === 'pass' ? 'pass' : arc === undefined || arc === 'none' ? 'none' : 'fail';
  const sealer = { signingDomain: domain, selector: rows[0].dkim_selector, privateKey };
  return Buffer.concat([await sealForwarded(raw, sealer, { results, chain }), raw]);
}

/** Names the mailbox without telling its ID. */
function markOf(mailboxId: string): string {
  return sha256(`forwarded by ${mailboxId}`).toString('hex').slice(0, 32);
}

/** The same for every attempt, so that a job that runs again sends nothing twice. In time order like other IDs. */
function idOfForward({ messageId, ruleId, no }: RuleJob): string {
  const hash = sha256(`forward ${messageId} ${ruleId} ${no}`).toString('hex');
  return `${messageId.slice(0, 14)}7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

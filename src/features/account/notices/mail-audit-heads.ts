/**
 * Mails the head of the audit log of each team to its owners, at most once a day. Who can change the whole database cannot
 * change a mailbox elsewhere, so these emails show whether seals were removed.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { mailOwners } from '../../identity/people/mail-owners.ts';

type Head = Row<'audit_seals', 'team_id' | 'no' | 'at' | 'hash' | 'signature' | 'signed_by'>;

/** In the sandbox the email would stay on this instance, where it proves nothing. */
export async function mailAuditHeads(db: Db, facts: Facts): Promise<void> {
  if (facts.mailTransport === 'sandbox') return;
  const { rows } = await sql<Head>`
    select distinct on (s.team_id) s.team_id, s.no, s.at, s.hash, s.signature, s.signed_by
    from audit_seals s join teams t on t.id = s.team_id and t.closed_at is null
    where not exists (
      select from audit_seals m where m.team_id = s.team_id and m.mailed_at > now() - interval '23 hours')
    order by s.team_id, s.no desc`.execute(db);
  for (const head of rows) await inTransaction(db, (trx) => mailHead(trx, head));
}

async function mailHead(trx: Db, { team_id, no, at, hash, signature, signed_by }: Head): Promise<void> {
  const { numAffectedRows } = await sql`
    update audit_seals set mailed_at = now() where team_id = ${team_id} and no = ${no} and mailed_at is null`.execute(
    trx,
  );
  // Nothing has happened since the last email.
  if (Number(numAffectedRows) === 0) return;
  await mailOwners(trx, team_id, {
    subject: 'Your audit log today',
    text: `Keep this email. It shows later whether the audit log of your team was changed.

Seal ${no} of ${at.toISOString()}
Head: ${hash.toString('hex')}
Signature: ${signature.toString('base64')}
Signed by: ${signed_by}

To compare, run this on the server:

posthorn audit verify --team ${team_id} --head ${hash.toString('hex')}
`,
  });
}

/** Rules that were switched off because something that they name is gone, for the notices of a team. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';

export interface SwitchedOffRule extends CamelRow<'mailbox_rules', 'name'> {
  mailboxId: Row<'mailboxes'>['id'];
  address: Row<'mailboxes'>['address'];
  since: NonNullable<Row<'mailbox_rules'>['disabled_at']>;
  reason: NonNullable<Row<'mailbox_rules'>['disabled_reason']>;
}

const MOST = 20;

/** The longest first, of mailboxes that the caller may read. */
export async function findSwitchedOffRules(db: Db, caller: Caller): Promise<SwitchedOffRule[]> {
  const { rows } = await sql<SwitchedOffRule>`
    select r.name, box.id as "mailboxId", box.address, r.disabled_at as since, r.disabled_reason as reason
    from mailbox_rules r join mailboxes box on box.team_id = r.team_id and box.id = r.mailbox_id
    where r.team_id = ${caller.teamId} and r.disabled_at is not null and r.disabled_reason is not null
      and ${mayRead(caller, 'box')}
    order by r.disabled_at limit ${MOST}
  `.execute(db);
  return rows.map((row) => ({ ...row, mailboxId: encodeId('mbx', row.mailboxId) }));
}

/**
 * Entries of the audit log that have no seal yet are sealed in the new instance. So their content gets a MAC of its
 * secret, unless somebody has changed it.
 */
import type pg from 'pg';
import type { Row } from '../../../platform/database/rows.ts';
import { auditKeysOf } from '../../audit/audit-keys.ts';
import type { IdMap } from './map-ids.ts';

export async function takeOverUnsealed(
  target: pg.ClientBase,
  { team }: IdMap,
  from: Buffer,
  to: Buffer,
): Promise<void> {
  const [oldKeys, newKeys] = [auditKeysOf(from), auditKeysOf(to)];
  const { rows } = await target.query<Row<'audit_entries', 'id' | 'content' | 'content_hash'>>(
    'select id, content, content_hash from audit_entries where team_id = $1 and seal_no is null',
    [team.to],
  );
  for (const { id, content, content_hash } of rows) {
    if (content === null || !oldKeys.mac(content).equals(content_hash)) continue;
    await target.query('update audit_entries set content_hash = $3 where team_id = $1 and id = $2', [
      team.to,
      id,
      newKeys.mac(content),
    ]);
  }
}

/** Records in the audit log of a team that somebody joined it. */
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Visitor } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import { recordAudit } from '../../audit/record-audit.ts';

interface Joined {
  teamId: number;
  userUuid: string;
  role: Role;
  visitor: Visitor;
  /** The provider that has let the person in. */
  issuer?: string;
}

export async function recordJoined(
  trx: Db,
  secret: Buffer,
  { teamId, userUuid, role, visitor, issuer }: Joined,
): Promise<void> {
  const id = encodeId('usr', userUuid);
  await recordAudit(trx, secret, teamId, {
    actor: { kind: 'person', id, ip: visitor.ip },
    action: 'member.joined',
    target: id,
    after: { role, ...(issuer === undefined ? {} : { issuer }) },
    requestId: visitor.requestId,
  });
}

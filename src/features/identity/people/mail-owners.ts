/** Emails to the owners of a team about the team. */
import { AS_SERVER } from '../../api/caller.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { listMembers } from './members.ts';

const MAX_OWNERS = 50;

/** Sends from the team's oldest domain. Returns false, and sends nothing, without a domain or an owner. */
export async function mailOwners(
  db: Db,
  teamId: number,
  message: { subject: string; text: string },
): Promise<boolean> {
  const members = await listMembers(db, teamId);
  const to = members
    .filter(({ role }) => role === 'owner')
    .slice(0, MAX_OWNERS)
    .map(({ email }) => toMailbox(email));
  const from = await findNoReply(db, teamId);
  if (to.length === 0 || !from) return false;
  const email = { ...message, from, to, headers: AUTOMATIC };
  await submit(db, {
    source: 'system',
    caller: { teamId, ...AS_SERVER },
    content: { kind: 'fields', email },
  });
  return true;
}

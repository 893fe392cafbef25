/** The mail to the owners of a team whose webhook was paused. */
import { inTransaction, type Db } from '../../platform/database.ts';
import { AppError } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import type { JobPayloads, RunningJob } from '../../platform/jobs.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../emails/own-mail.ts';
import { submit } from '../emails/submit.ts';
import { listMembers } from '../people/members.ts';
import { getWebhook } from './webhooks.ts';

const MAX_OWNERS = 50;

/** Nobody is told when it was mended or deleted meanwhile. */
export async function tellOfPausedWebhook(
  db: Db,
  teamId: number,
  webhookKey: string,
  job: RunningJob<JobPayloads['tell-of-paused-webhook']>,
): Promise<void> {
  const webhook = await getWebhook(db, teamId, encodeId('whk', webhookKey)).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (webhook?.pausedReason !== 'failures') return;
  await inTransaction(db, async (trx) => {
    await tellOwners(trx, teamId, {
      subject: 'A webhook of your team was paused',
      text: `The webhook that calls ${webhook.url} was paused.\n\n${webhook.notice}\n`,
    });
    await job.keep(trx, null);
  });
}

/** From the team's own oldest domain. One that has none, or no owners yet, reads the notice with the webhook alone. */
async function tellOwners(db: Db, teamId: number, message: { subject: string; text: string }): Promise<void> {
  const members = await listMembers(db, teamId);
  const to = members
    .filter(({ role }) => role === 'owner')
    .slice(0, MAX_OWNERS)
    .map(({ email }) => toMailbox(email));
  const from = await findNoReply(db, teamId);
  if (to.length === 0 || !from) return;
  const email = { ...message, from, to, headers: AUTOMATIC };
  await submit(db, {
    source: 'system',
    caller: { teamId, domainId: null },
    content: { kind: 'fields', email },
  });
}

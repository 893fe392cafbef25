/** The email to a team's owners when a webhook was paused. */
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import type { RunningJob } from '../../platform/jobs/jobs.ts';
import type { JobPayloads } from '../jobs/jobs.ts';
import { mailOwners } from '../identity/people/mail-owners.ts';
import type { Facts } from '../instance/facts.ts';
import { urlWithoutSecrets } from './notice.ts';
import { getWebhook } from './webhooks.ts';

/** Sends nothing if the webhook was resumed or deleted meanwhile. */
export async function mailAboutPausedWebhook(
  db: Db,
  teamId: number,
  facts: Facts,
  webhookKey: string,
  job: RunningJob<JobPayloads['tell-of-paused-webhook']>,
): Promise<void> {
  const webhook = await getWebhook(db, teamId, facts, encodeId('whk', webhookKey)).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (webhook?.pausedReason !== 'failures') return;
  await inTransaction(db, async (trx) => {
    await mailOwners(trx, teamId, {
      subject: 'A webhook of your team was paused',
      text: `The webhook ${urlWithoutSecrets(webhook.url)} was paused.\n\n${webhook.notice} You can do that in the dashboard, under Webhooks.\n`,
    });
    await job.saveRemaining(trx, null);
  });
}

/** Applies the retention settings of the instance and of its teams. The worker runs it every hour. */
import type { Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import { expireRequests } from '../activity/request-log/forget-requests.ts';
import { expireCustomEvents } from '../automations/custom-events/list-events.ts';
import { expireRunData } from '../automations/runs/expire-runs.ts';
import { expireEventsOfTeams } from '../events/expire-events.ts';
import { expireOauth } from '../identity/oauth/grants.ts';
import type { Retention } from '../instance/facts.ts';
import { expireVersions } from '../content/versions/expire-versions.ts';
import { dropOldReports } from '../deliverability/reports/drop-old-reports.ts';
import { expireContents, expireSandbox } from './expire-contents.ts';

export async function expireOldData(db: Db, log: Log, retention: Retention): Promise<void> {
  const startedAt = Date.now();
  await dropOldReports(db);
  const emailContents = await expireContents(db, retention);
  const sandboxMessages = await expireSandbox(db, retention);
  const versions = await expireVersions(db);
  const events =
    (await expireEventsOfTeams(db, retention.eventDays)) +
    (await expireCustomEvents(db, retention.eventDays)) +
    (await expireRunData(db, retention.eventDays));
  const requests = await expireRequests(db);
  const tokens = await expireOauth(db);
  if (emailContents + sandboxMessages + versions + events + requests + tokens === 0) return;
  log.info(
    { emailContents, sandboxMessages, versions, events, requests, tokens, ms: Date.now() - startedAt },
    'deleted data whose retention time is over',
  );
}

/** Applies the retention settings of the instance and of its teams. The worker runs it every hour. */
import type { Db } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { expireEventsOfTeams } from '../events/expire-events.ts';
import type { Retention } from '../instance/facts.ts';
import { expireContents, expireSandbox } from './expire-contents.ts';

export async function expireOldData(db: Db, log: Log, retention: Retention): Promise<void> {
  const startedAt = Date.now();
  const emailContents = await expireContents(db, retention);
  const sandboxMessages = await expireSandbox(db, retention);
  const events = await expireEventsOfTeams(db, retention.eventDays);
  if (emailContents + sandboxMessages + events === 0) return;
  log.info(
    { emailContents, sandboxMessages, events, ms: Date.now() - startedAt },
    'deleted data whose retention time is over',
  );
}

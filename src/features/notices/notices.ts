/** What the owners and admins of a team should know: work of theirs that does not move. */
import type { Db } from '../../platform/database.ts';
import { describeCallError } from '../webhooks/notice.ts';
import type { Notice } from './notices.schema.ts';
import { findStalledWork, type StalledWork } from './stalled-work.ts';

const MAX_NOTICES = 20;

/** The oldest first. */
export async function listNotices(db: Db, teamId: number): Promise<Notice[]> {
  const stalled = await findStalledWork(db, teamId);
  return stalled
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
    .slice(0, MAX_NOTICES)
    .map((work) => ({
      kind: work.kind,
      id: work.id,
      contactBookId: work.contactBookId ?? null,
      since: work.since.toISOString(),
      message: describe(work),
    }));
}

function describe({ kind, name, lastError }: StalledWork): string {
  switch (kind) {
    case 'import':
      return `The import into "${name}" has stopped moving.`;
    case 'confirmations':
      return 'Confirmation emails of double opt-in are not being sent.';
    case 'verification':
      return `The verification of ${name} has stopped moving.`;
    case 'webhook':
      return lastError === null
        ? `Calls to the webhook ${name} are not being made.`
        : `Calls to the webhook ${name} fail: ${describeCallError(lastError)}.`;
  }
}

/** People teach the filter by moving messages into spam and out of it. */
import type { Db } from '../../../platform/database/database.ts';
import { enqueue } from '../../jobs/jobs.ts';

interface Moved {
  id: string;
  fromFolder: string;
}

const MAX_PER_JOB = 500;

/** Adds the job in the transaction of the move, or of the copy by which an email app moves. Moving to trash says nothing. */
export async function learnFromMove(
  trx: Db,
  teamId: number,
  moved: readonly Moved[],
  folder: string,
): Promise<void> {
  const kind = folder === 'spam' ? 'spam' : 'ham';
  const told = moved.filter(({ fromFolder }) =>
    kind === 'spam' ? fromFolder !== 'spam' : fromFolder === 'spam' && folder !== 'trash',
  );
  for (let at = 0; at < told.length; at += MAX_PER_JOB) {
    const messageIds = told.slice(at, at + MAX_PER_JOB).map(({ id }) => id);
    await enqueue(trx, 'learn-spam', { teamId, kind, messageIds }, { queue: `learn-spam ${teamId}` });
  }
}

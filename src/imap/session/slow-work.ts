/**
 * Searching and sorting large folders keeps a database connection busy for up to seconds. The limits leave most
 * connections to other work. Teams take turns.
 */
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import { Refusal, type FolderSession } from './session.ts';

/** Work on smaller folders takes a few milliseconds, unless it reads texts. */
const LARGE_FOLDER = 10_000;

const queues = {
  /** For searches that read the texts of messages. */
  texts: createTeamQueue({ atOnce: 3, perTeam: 2 }),
  /** For work that reads only numbers, flags and dates. */
  numbers: createTeamQueue({ atOnce: 3, perTeam: 2 }),
};

/** `work` is not started if the client has disconnected. */
export async function runSlowWork<Result>(
  { login, selected, wire }: FolderSession,
  kind: keyof typeof queues,
  work: () => Promise<Result>,
): Promise<Result> {
  if (kind === 'numbers' && selected.uids.length <= LARGE_FOLDER) return work();
  return queues[kind](login.teamId, async () => {
    if (wire.isClosing) throw new Refusal('UNAVAILABLE', 'The connection is closing');
    return work();
  });
}

/**
 * Runs sign-in attempts one after another for each network, and few at a time in all. A password hash takes a core for
 * about 30 ms and 19 MiB, and attempts of one network wait for each other's count in the database: without the queue,
 * someone who guesses takes the processor and the database connections of all other requests. Attempts from a place
 * that the account knows have a queue of their own, so that guessing from elsewhere does not delay them.
 */
import { availableParallelism } from 'node:os';
import { createTeamQueue, type TeamQueue } from '../../../platform/concurrency/team-queue.ts';
import { AppError } from '../../../platform/errors.ts';

const MAX_WAITING_OF_ONE = 30;
const MAX_WAITING = 300;
const RETRY_AFTER_SECONDS = 5;

const FROM_ELSEWHERE = createAttemptQueue(Math.max(1, Math.floor(availableParallelism() / 2)));
const FROM_KNOWN = createAttemptQueue(1);

/** `subject` is what waits for itself: a network, or a known place of an account. */
export function queueAttempt<Result>(
  subject: Buffer,
  isKnown: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  return (isKnown ? FROM_KNOWN : FROM_ELSEWHERE)(subject.toString('base64'), work);
}

function createAttemptQueue(atOnce: number): TeamQueue<string> {
  const queue = createTeamQueue<string>({ atOnce, perTeam: 1 });
  const waitingOf = new Map<string, number>();
  let waiting = 0;
  return async (subject, work) => {
    const ofSubject = waitingOf.get(subject) ?? 0;
    if (waiting >= MAX_WAITING || ofSubject >= MAX_WAITING_OF_ONE) throw tooMany();
    waiting += 1;
    waitingOf.set(subject, ofSubject + 1);
    try {
      return await queue(subject, work);
    } finally {
      waiting -= 1;
      const left = waitingOf.get(subject)! - 1;
      if (left === 0) waitingOf.delete(subject);
      else waitingOf.set(subject, left);
    }
  };
}

function tooMany(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Too many attempts to sign in at the same time. Try again in a moment.',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

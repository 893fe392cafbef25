import type { Message } from '../../../src/features/threads/threads.schema.ts';

/** What an answer answers: the last message that came in or has gone out. */
export function lastToAnswer(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ status }) => status !== 'draft' && status !== 'waiting');
}

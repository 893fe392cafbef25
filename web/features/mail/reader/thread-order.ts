import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';

/** Returns the message to reply to: the last one that was received or sent. */
export function lastToAnswer(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ status }) => status !== 'draft' && status !== 'waiting');
}

import { expect, test } from 'vitest';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { lastToAnswer } from './thread-order.ts';

function messages(...statuses: Message['status'][]): Message[] {
  return statuses.map((status, at) => ({ id: `msg_${at}`, status }) as Message);
}

test('an answer answers the last message that was received or sent', () => {
  expect(lastToAnswer(messages('received', 'sent', 'waiting', 'draft'))?.id).toBe('msg_1');
  expect(lastToAnswer(messages('draft'))).toBeUndefined();
});

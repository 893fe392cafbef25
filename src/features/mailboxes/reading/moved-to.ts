/** What is recorded when people move mail. */
import type { Happening } from '../activity/record-happening.ts';

export function movedTo(folder: string): Happening {
  return { type: 'moved', data: { folder }, event: { type: 'mailbox.thread.moved', fields: { folder } } };
}

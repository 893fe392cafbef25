/** Sorts and threads messages without blocking the event loop: few here, many in a worker thread. */
import { writeOrder, type OrderInput } from '../imap/order-messages.ts';
import { orderInThread } from './thread-pool.ts';

/** The JSON of a few hundred messages, which take some milliseconds. */
const SMALL_LENGTH = 64 * 1024;

export async function writeOrderOffLoop(input: OrderInput): Promise<string> {
  const length = input.batches.reduce((sum, rows) => sum + rows.length, 0);
  const folderSize = input.folderUids?.length ?? 0;
  return length + folderSize * 8 <= SMALL_LENGTH ? writeOrder(input) : orderInThread(input);
}

/** Nothing leaves the machine: what is for its own mailboxes comes to them, the rest is kept, to be looked at. */
import type { Db } from '../../platform/database.ts';
import { keepSandboxMessage } from '../sandbox/sandbox.ts';
import { receiveInside } from '../threads/receive-inside.ts';
import { ACCEPTED, type Transport } from './transport.ts';

export function createSandboxTransport(db: Db, hintMail: () => void): Transport {
  return {
    closedTo: () => [],
    async attempt({ teamId, emailId, mailFrom, recipient, chunks }) {
      const raw = Buffer.concat(chunks);
      if (await receiveInside(db, { emailId, mailFrom, recipient, raw })) {
        hintMail();
        return { outcome: 'delivered', reply: { ...ACCEPTED, text: 'Delivered inside' } };
      }
      await keepSandboxMessage(db, { teamId, emailId, mailFrom, recipient, raw });
      return { outcome: 'delivered', reply: ACCEPTED };
    },
    async close() {},
  };
}

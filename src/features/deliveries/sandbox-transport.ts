/** Nothing leaves the machine: what would have gone out is kept, to be looked at. */
import type { Db } from '../../platform/database.ts';
import { keepSandboxMessage } from '../sandbox/sandbox.ts';
import { ACCEPTED, type Transport } from './transport.ts';

export function createSandboxTransport(db: Db): Transport {
  return {
    closedTo: () => [],
    async attempt({ teamId, emailId, mailFrom, recipient, chunks }) {
      await keepSandboxMessage(db, { teamId, emailId, mailFrom, recipient, raw: Buffer.concat(chunks) });
      return { outcome: 'delivered', reply: ACCEPTED };
    },
    async close() {},
  };
}

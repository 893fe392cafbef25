/** Nothing leaves the machine: what is for its own mailboxes comes to them, the rest is kept, to be looked at. */
import { keepSandboxMessage } from '../sandbox/sandbox.ts';
import { deliverInside, type Inside } from './inside.ts';
import { ACCEPTED, type Letter, type Transport } from './transport.ts';

export function createSandboxTransport(inside: Inside): Transport {
  async function keep({ teamId, emailId, mailFrom, recipient, chunks }: Letter): Promise<void> {
    await keepSandboxMessage(inside.db, { teamId, emailId, mailFrom, recipient, raw: Buffer.concat(chunks) });
  }
  return {
    closedTo: () => [],
    async attempt(letter) {
      const delivered = await deliverInside(inside, letter);
      if (delivered) return delivered;
      await keep(letter);
      return { outcome: 'delivered', reply: ACCEPTED };
    },
    async close() {},
  };
}

/** Nothing leaves the machine: what is for its own mailboxes comes to them, the rest is kept, to be looked at. */
import { keepSandboxMessage } from '../sandbox/sandbox.ts';
import { deliverInside, type Inside } from './inside.ts';
import { acceptedAs, type Transport } from './transport.ts';

export function createSandboxTransport(inside: Inside): Transport {
  return {
    closedTo: () => [],
    async attempt(letter) {
      const delivered = await deliverInside(inside, letter);
      if (delivered) return delivered;
      const { teamId, emailId, mailFrom, recipient, chunks } = letter;
      const raw = Buffer.concat(chunks);
      await keepSandboxMessage(inside.db, { teamId, emailId, mailFrom, recipient, raw });
      return { outcome: 'delivered', reply: acceptedAs('Kept in the sandbox') };
    },
    async close() {},
  };
}

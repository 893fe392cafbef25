/**
 * Sends nothing to other servers. Mail for our own mailboxes is delivered, simulator addresses behave as their names
 * say, and everything else is stored for inspection.
 */
import { storeSandboxMessage } from '../sandbox/sandbox.ts';
import { reactLater, readPart, refuse } from './simulator.ts';
import { deliverLocally, type LocalDelivery } from './deliver-locally.ts';
import { acceptedAs, type Transport } from './transport.ts';

export function createSandboxTransport(local: LocalDelivery): Transport {
  return {
    unavailableTo: () => [],
    async attempt(message) {
      const part = readPart(message.recipient);
      const refusal = part && refuse(part, message);
      if (refusal) return refusal;
      const delivered = part ? null : await deliverLocally(local, message);
      if (delivered) return delivered;
      const { teamId, emailId, mailFrom, recipient, chunks } = message;
      await storeSandboxMessage(local.db, { teamId, emailId, mailFrom, recipient, chunks });
      if (part) await reactLater(local.db, part, message);
      return { outcome: 'delivered', reply: acceptedAs('Kept in the sandbox') };
    },
    async close() {},
  };
}

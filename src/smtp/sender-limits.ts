/**
 * How much one place in the network (place.ts) may do here, and how much one mailbox may get from others, in a minute:
 * by default far above what honest servers need, so that one that runs wild does not take the place of the others.
 * This machine itself has no limit.
 */
import type { SMTPServerSession } from 'smtp-server';
import type { InboundLimits } from '../platform/facts.ts';
import { isThisMachine } from '../platform/near-address.ts';
import { placeOf } from '../platform/place.ts';

const MINUTE_MS = 60_000;

export const TOO_MANY_CONNECTIONS = 'Too many connections from your address';

export interface SenderLimits {
  connect(session: SMTPServerSession): boolean;
  /** Does nothing for a session that was never connected. */
  disconnect(session: Pick<SMTPServerSession, 'id'>): void;
  /** Counts a message from a place, or one for a mailbox. */
  allowMessage(ip: string, mailboxId?: string): boolean;
}

export function createSenderLimits(
  most: InboundLimits,
  now: () => number = () => performance.now(),
): SenderLimits {
  const connectionsAt = new Map<string, number>();
  /**
   * The place of each counted session, by its id. A connection that closes at once has a session without an address:
   * the library fills it in only later.
   */
  const placeOfSession = new Map<string, string>();
  let counts = new Map<string, number>();
  let countingSince = now();

  return {
    connect({ remoteAddress, id }) {
      if (isThisMachine(remoteAddress)) return true;
      const place = placeOf(remoteAddress);
      const open = connectionsAt.get(place) ?? 0;
      if (open >= most.connectionsPerIp) return false;
      connectionsAt.set(place, open + 1);
      placeOfSession.set(id, place);
      return true;
    },
    disconnect({ id }) {
      const place = placeOfSession.get(id);
      if (place === undefined) return;
      placeOfSession.delete(id);
      const left = connectionsAt.get(place)! - 1;
      if (left === 0) connectionsAt.delete(place);
      else connectionsAt.set(place, left);
    },
    allowMessage(ip, mailboxId) {
      if (isThisMachine(ip)) return true;
      if (now() - countingSince > MINUTE_MS) {
        counts = new Map();
        countingSince = now();
      }
      const name = mailboxId ?? placeOf(ip);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count <= (mailboxId === undefined ? most.messagesPerIp : most.messagesPerMailbox);
    },
  };
}

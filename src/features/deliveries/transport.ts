import type { SmtpReply } from '../../mail/smtp-reply.ts';
import type { Attempt } from './attempt.ts';

/** One message to one recipient, ready for the wire. */
export interface Letter {
  teamId: number;
  emailId: string;
  recipient: string;
  recipientDomain: string;
  /** The sending domain's region: it may have a route of its own. */
  region: string;
  mailFrom: string;
  /** The signature first, then the message as stored. */
  chunks: Buffer[];
  smtpUtf8: boolean;
  /** It passes letters that are not, and may use connections that are kept free for it. */
  isUrgent: boolean;
}

/**
 * A way out. `attempt` never throws for what the network or the other side did, and may be called for many letters
 * at once: how many are on one wire, and when a server that failed is asked again, is the transport's business.
 */
export interface Transport {
  /**
   * Who should wait for now, because the way there is full or rests after a failure: recipients' domains, or all. Ways
   * are open to urgent letters for longer than to others.
   */
  closedTo(letters: { isUrgent: boolean }): 'all' | string[];
  /** Null: when its turn came it was not wanted any more, and nothing was sent. */
  attempt(letter: Letter, isWanted: () => boolean): Promise<Attempt | null>;
  close(): Promise<void>;
}

/** What a server would have said of a letter that went by no wire. */
export function acceptedAs(text: string): SmtpReply {
  return { code: 250, enhanced: '2.0.0', text };
}

/** What goes into `submit`, and what each way of making a message hands on to be stored. */
import type { Address } from '../../mail/address.ts';
import type { Caller } from '../../platform/route.ts';
import type { PublicLinks } from '../tracking/links.ts';
import type { EmailInput } from './emails.schema.ts';
import type { Priority } from './priority.ts';

export interface Submission {
  source: 'api' | 'smtp' | 'mailbox' | 'system' | 'account';
  /** Whose request it is; a key bound to a domain sends from that one alone. */
  caller: Pick<Caller, 'teamId' | 'domainId'>;
  /** Composed here from its fields, or accepted as it is. */
  content: FieldsContent | RawContent;
  /** By default it follows from the number of recipients of the request, and from whether the email is scheduled. */
  priority?: Priority;
}

export interface FieldsContent {
  kind: 'fields';
  email: EmailInput;
  /** Where it stands in a conversation, for a mailbox that has it. */
  reply?: { inReplyTo: string; references: string[] } | null;
  /** When it leaves, for who has worked it out already; null: at once. */
  leavesAt?: Date | null;
  /** With these its opens and clicks are counted as the email or its domain says; without, never. */
  links?: PublicLinks;
}

export interface RawContent {
  kind: 'raw';
  raw: Buffer;
  /** The envelope's: whom the header names is only shown. */
  recipients: Address[];
}

/** What is stored of a message, however it came. */
export interface Message {
  domainId: number;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  /** Everyone it goes to, perhaps more than once. */
  recipients: Address[];
  messageId: string;
  /** Null: at once. */
  leavesAt: Date | null;
  raw: Buffer;
}

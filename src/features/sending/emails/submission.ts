/** The input of `submit`, and the message that it stores. */
import type { EmailLimits } from './require-within-limits.ts';
import type { Address } from '../../../mail/mime/address.ts';
import type { Caller } from '../../api/caller.ts';
import type { ContentSource, ContentValues } from '../../content/stored/content-source.ts';
import type { PublicLinks } from '../../content/links/links.ts';
import type { MessageForm } from '../../content/stored/stored-message.ts';
import type { EmailInput, EmailLabels } from './emails.schema.ts';
import type { Priority } from './priority.ts';
import type { Tracked } from './track-email.ts';

/** Whose send policies apply, and who submits (`key_…`, or another text without policies). */
export interface MailSender extends Pick<Caller, 'policyIds' | 'by'> {
  /** For an app password of a key: what an email app reads is not noted, so it counts as all that outsiders wrote. */
  isEmailApp?: boolean;
}

export interface Submission {
  source: 'api' | 'smtp' | 'mailbox' | 'system' | 'account' | 'automation';
  /** The ID of the email, if it follows from its cause. A second email with the same ID cannot be stored. */
  id?: string;
  /** The contact that an automation writes to. */
  contact?: { contactBookId: string; contactId: string };
  /** The caller of the request. A domain-bound key can only use its own domain. */
  caller: Pick<Caller, 'teamId' | 'domainIds'> & MailSender;
  /** Composed from fields, or accepted as raw bytes. */
  content: FieldsContent | RawContent;
  /** Defaults to a value derived from the number of recipients of the request and whether the email is scheduled. */
  priority?: Priority;
}

export interface FieldsContent {
  kind: 'fields';
  email: EmailInput;
  /**
   * What `html` and `text` of the email are made from, in place of these. Emails of one request share the source, so
   * that it is stored once.
   */
  made?: { source: ContentSource; values: ContentValues };
  /** The position in a thread, when a mailbox sends the email. */
  reply?: { inReplyTo: string; references: string[] } | null;
  /** The release time, if the caller has already computed it. Null means now. */
  leavesAt?: Date | null;
  /** Checked for emails of the API. Other callers have their own limits. */
  limits?: EmailLimits;
  /** The email must not be sent. It is accepted as if all recipients were suppressed. */
  isWithheld?: boolean;
  /** Enables tracking of opens and clicks, as set by the email or its domain. Without links nothing is tracked. */
  links?: PublicLinks;
}

export interface RawContent {
  kind: 'raw';
  raw: Buffer;
  /** The recipients of the envelope. Those in the header are only displayed. */
  recipients: Address[];
  /** The release time. Null or missing means now. */
  leavesAt?: Date | null;
  labels?: EmailLabels | null;
  /** The only addresses that the message may name as its sender. */
  onlyFrom?: { address: string; addressKey: string; furtherKeys?: readonly string[] };
  envelope?: SubmittedEnvelope;
  /**
   * The mailbox that forwards the message of someone else. The message stays as it is, and its author need not be an
   * address of the team.
   */
  forwardedBy?: { address: string; domainId: number };
}

/** What an SMTP client asked for with the parameters of MAIL and RCPT (RFC 3461, RFC 8689). */
export interface SubmittedEnvelope {
  /** The address of MAIL FROM. Empty for the null sender. */
  sender: string;
  ret: 'FULL' | 'HDRS' | null;
  envid: string | null;
  requiresTls: boolean;
  /** By the key of the recipient's address. */
  recipients: ReadonlyMap<string, { notify: string | null; orcpt: string | null }>;
  /** True for a delivery report of ours. */
  isReport?: boolean;
}

/** The stored form of a message from any source. */
export interface SubmittedMessage {
  domainId: number;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  /** May contain duplicates. */
  recipients: Address[];
  /** All recipients count as suppressed. */
  isWithheld?: boolean;
  messageId: string;
  /** Null means now. */
  leavesAt: Date | null;
  /** Null if there are none. */
  labels: EmailLabels | null;
  tracked: Tracked;
  /** The message in the form in which it is stored. */
  content: MessageForm;
  envelope?: SubmittedEnvelope;
  /** The whole message, for callers with send policies, with the texts as they were before our tracking links. */
  judged?: { raw: Buffer; html?: string | null; text?: string | null };
  /** It waits for the approval of a person: SCHEDULED without a time. */
  isHeld?: boolean;
}

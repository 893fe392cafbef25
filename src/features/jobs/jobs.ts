/** The background jobs of all features, with their payloads. Payloads hold IDs. */
import type { Db } from '../../platform/database/database.ts';
import { enqueueJob, type JobHandler, type JobOptions } from '../../platform/jobs/jobs.ts';

/** The payload of every job. `src/worker` must have a handler for each, or it does not compile. */
export interface JobPayloads {
  'run-contact-import': { teamId: number; importId: string };
  'restart-lost-imports': Record<string, never>;
  /** For people who have just signed up and are waiting for the email. */
  'confirm-sign-ups': Confirmations;
  /** For many people at a time, from a bulk request or an import. */
  'send-confirmations': Confirmations;
  'verify-domain': { teamId: number; domainId: number };
  'restart-lost-verifications': Record<string, never>;
  /** Looks at the link host and the policy host of a domain. */
  'check-hosts': { teamId: number; domainId: number };
  /** Checks the brakes of all domains of a team. */
  'check-brakes': { teamId: number };
  'check-all-brakes': Record<string, never>;
  'queue-due-hosts': Record<string, never>;
  /** Orders the certificate of a link host or an MTA-STS host. */
  'order-certificate': { host: string };
  'renew-certificates': Record<string, never>;
  /** Asks blocklists about the addresses of this server and the domains of all teams. */
  'check-listings': Record<string, never>;
  'drop-lost-hosts': Record<string, never>;
  'send-tls-reports': Record<string, never>;
  'keep-event-partitions': Record<string, never>;
  'drop-stale-uploads': Record<string, never>;
  'drop-expired-answers': Record<string, never>;
  'drop-expired-sessions': Record<string, never>;
  'drop-mailbox-mail': { teamId: number; mailboxId: string };
  'drop-unused-blobs': Record<string, never>;
  'sweep-objects': Record<string, never>;
  'drop-old-mailbox-events': Record<string, never>;
  'send-vacation-reply': { teamId: number; mailboxId: string; messageId: string; address: string };
  /** An action of a rule that takes effect after the message is stored. `answerTo` is set for replies. */
  'run-rule-action': RuleJob & { answerTo: string | null };
  'call-rule-webhook': RuleJob;
  'leave-list': { url: string };
  /** Sends a notification to one browser. */
  'send-push': { teamId: number; notificationId: string; subscriptionId: string };
  'queue-due-notifications': Record<string, never>;
  'mail-notifications': { teamId: number; userId: string };
  /** Teaches the spam filter what people have moved. */
  'learn-spam': { teamId: number; kind: 'spam' | 'ham'; messageIds: string[] };
  /** Brings a thread back when its snooze or reminder is due. */
  'return-thread': { teamId: number; snoozeId: string };
  /** Removes the keyword of a deleted label from messages. */
  'drop-label': { teamId: number; mailboxId: string; keyword: string };
  'return-due-threads': Record<string, never>;
  'apply-rule': { teamId: number; ruleId: string };
  'drop-contacts-of-book': { teamId: number; bookKey: string };
  'remove-suppressions': { teamId: number; reason: string; before: string };
  'drop-calls-of-webhook': { teamId: number; webhookId: string };
  'tell-of-paused-webhook': { teamId: number; webhookId: string };
  'drop-old-webhook-calls': Record<string, never>;
  'mail-password-reset': { email: string };
  /** Tells a person what was changed about how they sign in. `name` is that of a passkey. */
  'mail-security-change': { userId: string; change: SecurityChange; name: string; at: string };
  'clear-subject-in-calls': { teamId: number; emailId: string };
  'erase-person': ErasedPerson;
  'expire-approvals': Record<string, never>;
  'expire-old-data': Record<string, never>;
  'merge-count-slots': Record<string, never>;
  'seal-audit': Record<string, never>;
  /** Mails the head of the audit log of each team to its owners. */
  'mail-audit-heads': Record<string, never>;
  /** Counts what all teams store. */
  'count-storage': Record<string, never>;
  'count-team-storage': { teamId: number };
  'simulate-reader': SimulatedReader;
  'send-delivery-report': ReportedDelivery;
  /** Calls the endpoint of a webhook step of a run. */
  'call-automation-webhook': { teamId: number; runId: string; step: string; visit: number };
  /** The SQL function end_runs_of_contacts adds it. `runIds` have ended; those of `contactIds` may have to. */
  'end-automation-runs': { teamId: number; runIds: string[]; contactIds: string[] };
  /** Adds a job for each feed that is due. */
  'queue-due-feeds': Record<string, never>;
  'check-feed': { teamId: number; feedId: string };
  'report-suppressed-recipients': { teamId: number; emailId: string };
}

/** What was changed about how a person signs in. */
export type SecurityChange =
  | 'password-changed'
  | 'two-factor-on'
  | 'two-factor-off'
  | 'passkey-added'
  | 'passkey-removed'
  | 'recovery-codes-renewed';

/** What happened to a recipient whose sender asked to be notified (RFC 3461). */
export interface ReportedDelivery {
  teamId: number;
  emailId: string;
  recipientNo: number;
  /** As in RFC 3464 section 2.3.3. */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed';
  /** The code of RFC 3463. */
  status: string;
  /** The reason in words, or the reply of the other server. */
  diagnostic: string | null;
  /** The server that was tried. */
  host: string | null;
}

/** The action with this number in the rule, and its type, in case the rule has changed since. */
export interface RuleJob {
  teamId: number;
  mailboxId: string;
  messageId: string;
  ruleId: string;
  no: number;
  type: string;
}

/** A sandbox recipient that reacts to a message. */
export interface SimulatedReader {
  teamId: number;
  emailId: string;
  recipientNo: number;
  part: 'complaint' | 'open' | 'click';
  /** How often the job has run before. */
  round: number;
}

export interface ErasedPerson {
  teamId: number;
  /** The normalised address. */
  addressKey: string;
  /** Replaces the address in rows that are kept. */
  alias: string;
  /** How often the job has run before. */
  round: number;
}

interface Confirmations {
  teamId: number;
  contactBookId: string;
  contactIds: string[];
  /** The import that added these contacts. Cancelling it stops their confirmations. */
  importId?: string | null;
}

export type JobName = keyof JobPayloads;
export type JobHandlers = { [Name in JobName]: JobHandler<JobPayloads[Name]> };

/** Adds a job in the transaction of the change that needs it. */
export function enqueue<Name extends JobName>(
  db: Db,
  name: Name,
  payload: JobPayloads[Name],
  options: JobOptions = {},
): Promise<void> {
  return enqueueJob(db, name, payload, options);
}

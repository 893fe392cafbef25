/** Every job, one line into its feature. */
import { dropExpiredAnswers } from '../features/idempotency/idempotency.ts';
import { dropStaleUploads } from '../features/contacts/import-upload.ts';
import { restartLostImports } from '../features/contacts/restart-imports.ts';
import { runContactImport } from '../features/contacts/import-run.ts';
import { keepEventPartitions } from '../features/emails/event-partitions.ts';
import { sendConfirmations } from '../features/subscriptions/send-confirmations.ts';
import { restartLostVerifications, verifyDomain } from '../features/domains/verify-domain.ts';
import { mailPasswordReset } from '../features/people/forgotten-password.ts';
import { dropExpiredSessions } from '../features/people/sessions.ts';
import { dropMailboxMail, dropOldMailboxEvents, dropUnusedBlobs } from '../features/mailboxes/drop-mail.ts';
import { dropCallsOfWebhook, dropOldCalls } from '../features/webhooks/drop-calls.ts';
import { tellOfPausedWebhook } from '../features/webhooks/tell-owners.ts';
import type { Dns } from '../mail/dns.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import type { JobHandlers, JobName } from '../platform/jobs.ts';

/** Jobs for which one person waits. They have workers of their own, which no other job can occupy. */
type UrgentJob = 'confirm-sign-ups' | 'mail-password-reset';

export function createUrgentHandlers(db: Db, facts: Facts): Pick<JobHandlers, UrgentJob> {
  return {
    'confirm-sign-ups': (payload, job) => sendConfirmations(db, facts, payload, job, 'transactional'),
    'mail-password-reset': (payload, job) => mailPasswordReset(db, facts, payload, job),
  };
}

export function createHandlers(db: Db, facts: Facts, dns: Dns): Omit<JobHandlers, UrgentJob> {
  return {
    'run-contact-import': ({ teamId, importId }) => runContactImport(db, teamId, importId),
    'restart-lost-imports': () => restartLostImports(db),
    'send-confirmations': (payload, job) => sendConfirmations(db, facts, payload, job, 'bulk'),
    'drop-stale-uploads': () => dropStaleUploads(db),
    'verify-domain': ({ teamId, domainId }) => verifyDomain(db, dns, facts.mailHost, teamId, domainId),
    'restart-lost-verifications': () => restartLostVerifications(db),
    'keep-event-partitions': () => keepEventPartitions(db, facts.eventRetentionDays),
    'drop-expired-answers': () => dropExpiredAnswers(db),
    'drop-expired-sessions': () => dropExpiredSessions(db),
    'drop-mailbox-mail': ({ teamId, mailboxId }) => dropMailboxMail(db, teamId, mailboxId),
    'drop-unused-blobs': () => dropUnusedBlobs(db),
    'drop-old-mailbox-events': () => dropOldMailboxEvents(db),
    'drop-calls-of-webhook': ({ teamId, webhookId }) => dropCallsOfWebhook(db, teamId, webhookId),
    'tell-of-paused-webhook': ({ teamId, webhookId }, job) => tellOfPausedWebhook(db, teamId, webhookId, job),
    'drop-old-webhook-calls': () => dropOldCalls(db),
  };
}

export const schedule: { job: JobName; cron: string }[] = [
  { job: 'restart-lost-imports', cron: '* * * * *' },
  { job: 'restart-lost-verifications', cron: '* * * * *' },
  { job: 'drop-stale-uploads', cron: '*/10 * * * *' },
  { job: 'keep-event-partitions', cron: '23 */6 * * *' },
  { job: 'drop-expired-answers', cron: '7 * * * *' },
  { job: 'drop-expired-sessions', cron: '17 * * * *' },
  { job: 'drop-unused-blobs', cron: '23 * * * *' },
  { job: 'drop-old-mailbox-events', cron: '41 * * * *' },
  { job: 'drop-old-webhook-calls', cron: '41 * * * *' },
];

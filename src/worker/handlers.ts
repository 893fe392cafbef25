/** Maps each job to the function of its feature. */
import { dropExpiredAnswers } from '../features/account/idempotency/idempotency.ts';
import { removeRemainingSuppressions } from '../features/sending/suppressions/suppressions.ts';
import { dropContactsOfBook } from '../features/audience/contact-books/deleted-books.ts';
import { dropStaleUploads } from '../features/audience/contacts/imports/import-upload.ts';
import { restartLostImports } from '../features/audience/contacts/imports/restart-imports.ts';
import { runContactImport } from '../features/audience/contacts/imports/import-run.ts';
import { keepEventPartitions } from '../features/events/event-partitions.ts';
import { sendConfirmations } from '../features/audience/subscriptions/send-confirmations.ts';
import {
  reportSuppressedRecipients,
  sendDeliveryReport,
} from '../features/delivery/reports/send-delivery-report.ts';
import { simulateReader } from '../features/delivery/reports/simulate-reader.ts';
import { publicLinksOf } from '../features/sending/links/links.ts';
import { sweepObjects } from '../features/sending/content/sweep-objects.ts';
import { mergeSlots } from '../features/sending/counters/merge-slots.ts';
import { restartLostVerifications, verifyDomain } from '../features/sending/domains/verify-domain.ts';
import { mailPasswordReset } from '../features/account/people/forgotten-password.ts';
import { dropExpiredSessions } from '../features/account/people/sessions.ts';
import {
  dropMailboxMail,
  dropOldMailboxEvents,
  dropOldVanished,
  dropUnusedBlobs,
} from '../features/mailboxes/mailboxes/drop-mail.ts';
import { dropOldUploads } from '../features/mailboxes/jmap/uploads.ts';
import {
  dropOldVacationReplies,
  sendVacationReply,
} from '../features/mailboxes/vacation/send-vacation-reply.ts';
import { countAllStorage, countStorage } from '../features/account/storage/count-storage.ts';
import { dropCallsOfWebhook, dropOldCalls } from '../features/account/webhooks/drop-calls.ts';
import { clearSubjectInCalls } from '../features/account/webhooks/erase-calls.ts';
import { mailAboutPausedWebhook } from '../features/account/webhooks/mail-owners.ts';
import { expireOldData } from '../features/retention/expire-old-data.ts';
import { eraseTraces } from '../features/retention/erase-traces.ts';
import type { Dns } from '../mail/auth/dns.ts';
import type { Db } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Facts } from '../features/instance/facts.ts';
import type { JobHandlers, JobName } from '../features/jobs/jobs.ts';

/** Jobs that a person is waiting for. They have workers of their own, which other jobs cannot occupy. */
type UrgentJob = 'confirm-sign-ups' | 'mail-password-reset';

export function createUrgentHandlers(db: Db, facts: Facts): Pick<JobHandlers, UrgentJob> {
  return {
    'confirm-sign-ups': (payload, job) => sendConfirmations(db, facts, payload, job, 'transactional'),
    'mail-password-reset': (payload, job) => mailPasswordReset(db, facts, payload, job),
  };
}

export function createHandlers(db: Db, facts: Facts, dns: Dns, log: Log): Omit<JobHandlers, UrgentJob> {
  return {
    'run-contact-import': async ({ teamId, importId }) => {
      await facts.disk.require();
      await runContactImport(db, teamId, importId);
    },
    'restart-lost-imports': () => restartLostImports(db),
    'send-confirmations': (payload, job) => sendConfirmations(db, facts, payload, job, 'bulk'),
    'drop-stale-uploads': () => dropStaleUploads(db),
    'verify-domain': ({ teamId, domainId }) => verifyDomain(db, dns, facts.mailHost, teamId, domainId),
    'restart-lost-verifications': () => restartLostVerifications(db),
    'keep-event-partitions': () => keepEventPartitions(db, facts.retention.eventDays),
    'drop-expired-answers': () => dropExpiredAnswers(db),
    'drop-expired-sessions': () => dropExpiredSessions(db),
    'drop-mailbox-mail': ({ teamId, mailboxId }) => dropMailboxMail(db, teamId, mailboxId),
    'drop-unused-blobs': () => dropUnusedBlobs(db),
    'sweep-objects': () => sweepObjects(db, log),
    'drop-old-mailbox-events': async () => {
      await dropOldMailboxEvents(db);
      await dropOldVanished(db);
      await dropOldUploads(db);
      await dropOldVacationReplies(db);
    },
    'send-vacation-reply': (payload) => sendVacationReply(db, payload),
    'remove-suppressions': (payload) => removeRemainingSuppressions(db, payload),
    'drop-contacts-of-book': ({ teamId, bookKey }) => dropContactsOfBook(db, teamId, bookKey),
    'drop-calls-of-webhook': ({ teamId, webhookId }) => dropCallsOfWebhook(db, teamId, webhookId),
    'tell-of-paused-webhook': ({ teamId, webhookId }, job) =>
      mailAboutPausedWebhook(db, teamId, facts, webhookId, job),
    'drop-old-webhook-calls': () => dropOldCalls(db),
    'clear-subject-in-calls': ({ teamId, emailId }) => clearSubjectInCalls(db, teamId, emailId),
    'expire-old-data': () => expireOldData(db, log, facts.retention),
    'merge-count-slots': async () => void (await mergeSlots(db)),
    'count-storage': () => countAllStorage(db, facts.storage.defaultMb),
    'count-team-storage': ({ teamId }) => countStorage(db, teamId, facts.storage.defaultMb),
    'send-delivery-report': (report) => sendDeliveryReport(db, facts, report),
    'report-suppressed-recipients': ({ teamId, emailId }) => reportSuppressedRecipients(db, teamId, emailId),
    'simulate-reader': (reader) => simulateReader(db, publicLinksOf(facts), reader),
    'erase-person': (person) => eraseTraces(db, person),
  };
}

export const schedule: { job: JobName; cron: string }[] = [
  { job: 'restart-lost-imports', cron: '* * * * *' },
  { job: 'restart-lost-verifications', cron: '* * * * *' },
  { job: 'drop-stale-uploads', cron: '*/10 * * * *' },
  { job: 'keep-event-partitions', cron: '23 */6 * * *' },
  { job: 'expire-old-data', cron: '11 * * * *' },
  { job: 'merge-count-slots', cron: '3 * * * *' },
  { job: 'count-storage', cron: '29 * * * *' },
  { job: 'drop-expired-answers', cron: '7 * * * *' },
  { job: 'drop-expired-sessions', cron: '17 * * * *' },
  { job: 'drop-unused-blobs', cron: '23 * * * *' },
  { job: 'sweep-objects', cron: '47 2 * * *' },
  { job: 'drop-old-mailbox-events', cron: '41 * * * *' },
  { job: 'drop-old-webhook-calls', cron: '41 * * * *' },
];

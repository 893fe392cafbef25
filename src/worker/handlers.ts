/** Maps each job to the function of its feature. */
import { dropLabel } from '../features/mailboxes/labels/labels.ts';
import { dropExpiredAnswers } from '../features/account/idempotency/idempotency.ts';
import { removeRemainingSuppressions } from '../features/sending/suppressions/suppressions.ts';
import { dropContactsOfBook } from '../features/audience/contact-books/deleted-books.ts';
import { dropStaleUploads } from '../features/audience/contacts/imports/import-upload.ts';
import { restartLostImports } from '../features/audience/contacts/imports/restart-imports.ts';
import { runContactImport } from '../features/audience/contacts/imports/import-run.ts';
import { keepEventPartitions } from '../features/events/event-partitions.ts';
import { checkFeed, queueDueFeeds } from '../features/campaigns/feeds/look-at-feed.ts';
import { sendConfirmations } from '../features/audience/subscriptions/send-confirmations.ts';
import {
  reportSuppressedRecipients,
  sendDeliveryReport,
} from '../features/delivery/reports/send-delivery-report.ts';
import { simulateReader } from '../features/delivery/reports/simulate-reader.ts';
import { publicLinksOf } from '../features/content/links/links.ts';
import { sweepObjects } from '../features/content/stored/sweep-objects.ts';
import { expireApprovals } from '../features/sending/approvals/decide-approval.ts';
import { dropOldReads } from '../features/sending/policies/note-reads.ts';
import { mergeSlots } from '../features/sending/counters/merge-slots.ts';
import { restartLostVerifications, verifyDomain } from '../features/sending/domains/verify-domain.ts';
import { checkAllBrakes, checkBrakes } from '../features/deliverability/brakes/check-brakes.ts';
import { ensureCertificate } from '../features/deliverability/certificates/ensure-certificate.ts';
import { orderHostCertificate } from '../features/deliverability/certificates/order-host-certificate.ts';
import { renewCertificates } from '../features/deliverability/certificates/renew-certificates.ts';
import { checkListings } from '../features/deliverability/listings/check-listings.ts';
import { checkHosts } from '../features/deliverability/link-hosts/check-hosts.ts';
import { createAuthorityFinder } from '../features/deliverability/link-hosts/certificate-authority.ts';
import { sendTlsReports } from '../features/deliverability/tls-reports-out/send-tls-reports.ts';
import { dropLostHosts, queueDueHosts } from '../features/deliverability/link-hosts/due-hosts.ts';
import { mailSecurityChange } from '../features/identity/people/security-mail.ts';
import { mailPasswordReset } from '../features/identity/people/forgotten-password.ts';
import { dropExpiredSessions } from '../features/identity/people/sessions.ts';
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
import { mailNotifications, queueDueNotifications } from '../features/account/notices/mail-notifications.ts';
import { mailAuditHeads } from '../features/account/notices/mail-audit-heads.ts';
import { sealAudit } from '../features/audit/seal-audit.ts';
import { countAllStorage, countStorage } from '../features/account/storage/count-storage.ts';
import { dropCallsOfWebhook, dropOldCalls } from '../features/webhooks/drop-calls.ts';
import { clearSubjectInCalls } from '../features/webhooks/erase-calls.ts';
import { leaveByOneClick } from '../features/webhooks/leave-list.ts';
import { callRuleWebhook } from '../features/webhooks/call-rule-webhook.ts';
import { learnMessages } from '../features/mailboxes/spam/learn-messages.ts';
import { applyRule } from '../features/mailboxes/rules/apply-rule.ts';
import { sendPush } from '../features/mailboxes/notifications/send-push.ts';
import { dropOldNotifications } from '../features/mailboxes/notifications/drop-notifications.ts';
import { dropOldPresence } from '../features/mailboxes/teamwork/presence.ts';
import { returnDueThreads, returnThread } from '../features/mailboxes/snoozing/return-threads.ts';
import { dropOldRuleLogs } from '../features/mailboxes/rules/drop-old-logs.ts';
import { runRuleAction } from '../features/mailboxes/rules/run-rule-action.ts';
import { finishEnds } from '../features/automations/runs/finish-ends.ts';
import { callAutomationWebhook } from '../features/webhooks/call-automation-webhook.ts';
import type { EndpointCaller } from '../features/webhooks/endpoint.ts';
import { mailAboutPausedWebhook } from '../features/webhooks/mail-about-paused.ts';
import { expireOldData } from '../features/retention/expire-old-data.ts';
import { eraseTraces } from '../features/retention/erase-traces.ts';
import type { Dns } from '../mail/auth/dns.ts';
import type { Db } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Facts } from '../features/instance/facts.ts';
import type { ScheduledJob } from '../platform/jobs/job-schedule.ts';
import type { JobHandlers, JobName } from '../features/jobs/jobs.ts';

/** Jobs that a person is waiting for. They have workers of their own, which other jobs cannot occupy. */
type UrgentJob = 'confirm-sign-ups' | 'mail-password-reset' | 'mail-security-change';

export function createUrgentHandlers(db: Db, facts: Facts): Pick<JobHandlers, UrgentJob> {
  return {
    'confirm-sign-ups': (payload, job) => sendConfirmations(db, facts, payload, job, 'transactional'),
    'mail-password-reset': (payload, job) => mailPasswordReset(db, facts, payload, job),
    'mail-security-change': (payload, job) => mailSecurityChange(db, facts, payload, job),
  };
}

export function createHandlers(
  db: Db,
  facts: Facts,
  dns: Dns,
  log: Log,
  endpoints: EndpointCaller,
): Omit<JobHandlers, UrgentJob> {
  /** The email that a job has added leaves at once. */
  async function send(job: Promise<void>): Promise<void> {
    await job;
    facts.wakeDeliveryWorkers();
  }
  return {
    'run-contact-import': async ({ teamId, importId }) => {
      await facts.disk.require();
      await runContactImport(db, teamId, importId);
    },
    'restart-lost-imports': () => restartLostImports(db),
    'send-confirmations': (payload, job) => sendConfirmations(db, facts, payload, job, 'bulk'),
    'drop-stale-uploads': () => dropStaleUploads(db),
    'verify-domain': ({ teamId, domainId }) => verifyDomain(db, dns, facts, teamId, domainId),
    'restart-lost-verifications': () => restartLostVerifications(db),
    ...createHostHandlers(db, facts, dns, log),
    'check-brakes': ({ teamId }) => checkBrakes(db, teamId),
    'check-all-brakes': () => checkAllBrakes(db),
    'queue-due-hosts': () => queueDueHosts(db),
    'drop-lost-hosts': () => dropLostHosts(db, dns, facts),
    'send-tls-reports': () => sendTlsReports({ db, dns, log, facts, endpoints }),
    'keep-event-partitions': () => keepEventPartitions(db, facts.retention.eventDays),
    'drop-expired-answers': () => dropExpiredAnswers(db),
    'drop-expired-sessions': () => dropExpiredSessions(db),
    'drop-mailbox-mail': ({ teamId, mailboxId }) => dropMailboxMail(db, teamId, mailboxId),
    'drop-unused-blobs': () => dropUnusedBlobs(db),
    'sweep-objects': () => sweepObjects(db, log),
    'learn-spam': (payload) => learnMessages(db, facts, payload),
    'drop-old-mailbox-events': () => dropOldOfMailboxes(db),
    'send-vacation-reply': (payload) => send(sendVacationReply(db, payload)),
    'run-rule-action': (job) => send(runRuleAction(db, facts.secret, job)),
    'call-rule-webhook': (job) => callRuleWebhook(db, { endpoints, secret: facts.secret }, job),
    'return-thread': (due) => returnThread(db, due),
    'drop-label': (label) => dropLabel(db, label),
    'return-due-threads': () => returnDueThreads(db),
    'leave-list': (job) => leaveByOneClick(endpoints, job),
    'apply-rule': (job) => applyRule(db, job),
    'send-push': (job) => sendPush(db, { post: endpoints.post, facts }, job),
    'queue-due-notifications': () => queueDueNotifications(db),
    'mail-notifications': (person) => mailNotifications(db, facts, person),
    'remove-suppressions': (payload) => removeRemainingSuppressions(db, payload),
    'drop-contacts-of-book': ({ teamId, bookKey }) => dropContactsOfBook(db, teamId, bookKey),
    'drop-calls-of-webhook': ({ teamId, webhookId }) => dropCallsOfWebhook(db, teamId, webhookId),
    'tell-of-paused-webhook': ({ teamId, webhookId }, job) =>
      send(mailAboutPausedWebhook(db, teamId, facts, webhookId, job)),
    'drop-old-webhook-calls': () => dropOldCalls(db),
    'clear-subject-in-calls': ({ teamId, emailId }) => clearSubjectInCalls(db, teamId, emailId),
    'expire-approvals': async () => {
      await expireApprovals(db);
      await dropOldReads(db);
    },
    'expire-old-data': () => expireOldData(db, log, facts.retention),
    'merge-count-slots': async () => void (await mergeSlots(db)),
    'seal-audit': () => sealAudit(db, facts.secret),
    'mail-audit-heads': () => send(mailAuditHeads(db, facts)),
    'count-storage': () => countAllStorage(db, facts.storage.defaultMb),
    'count-team-storage': ({ teamId }) => countStorage(db, teamId, facts.storage.defaultMb),
    'send-delivery-report': (report) => sendDeliveryReport(db, facts, report),
    'report-suppressed-recipients': ({ teamId, emailId }) => reportSuppressedRecipients(db, teamId, emailId),
    'simulate-reader': (reader) => simulateReader(db, publicLinksOf(facts), reader),
    'call-automation-webhook': (call) => callAutomationWebhook(db, { endpoints, secret: facts.secret }, call),
    'end-automation-runs': (job) => finishEnds(db, job),
    'queue-due-feeds': () => queueDueFeeds(db),
    'check-feed': (feed) => checkFeed(db, facts, feed),
    'erase-person': (person) => eraseTraces(db, facts, person),
  };
}

type HostJob = 'check-hosts' | 'order-certificate' | 'renew-certificates' | 'check-listings';

function createHostHandlers(db: Db, facts: Facts, dns: Dns, log: Log): Pick<JobHandlers, HostJob> {
  const certificates = facts.hostCertificates && { ensure: (host: string) => ensureCertificate(db, host) };
  const authority = createAuthorityFinder(facts.acmeDirectoryUrl);
  return {
    'check-hosts': (domain) => checkHosts({ db, dns, facts, certificates, findAuthority: authority }, domain),
    'order-certificate': (order) => orderHostCertificate({ db, log, facts }, order),
    'renew-certificates': () => renewCertificates({ db, log, facts }),
    'check-listings': () => checkListings(db, facts),
  };
}

async function dropOldOfMailboxes(db: Db): Promise<void> {
  await dropOldMailboxEvents(db);
  await dropOldVanished(db);
  await dropOldUploads(db);
  await dropOldVacationReplies(db);
  await dropOldRuleLogs(db);
  await dropOldNotifications(db);
  await dropOldPresence(db);
}

export const schedule: (ScheduledJob & { job: JobName })[] = [
  { job: 'restart-lost-imports', everyMinutes: 1, atMinute: 0 },
  { job: 'restart-lost-verifications', everyMinutes: 1, atMinute: 0 },
  { job: 'queue-due-feeds', everyMinutes: 1, atMinute: 0 },
  { job: 'queue-due-notifications', everyMinutes: 1, atMinute: 0 },
  { job: 'expire-approvals', everyMinutes: 1, atMinute: 0 },
  { job: 'seal-audit', everyMinutes: 1, atMinute: 0 },
  { job: 'mail-audit-heads', everyMinutes: 60, atMinute: 37 },
  { job: 'queue-due-hosts', everyMinutes: 1, atMinute: 0 },
  { job: 'renew-certificates', everyMinutes: 10, atMinute: 6 },
  { job: 'check-listings', everyMinutes: 360, atMinute: 97 },
  { job: 'check-all-brakes', everyMinutes: 10, atMinute: 4 },
  { job: 'drop-lost-hosts', everyMinutes: 1_440, atMinute: 251 },
  { job: 'send-tls-reports', everyMinutes: 60, atMinute: 43 },
  { job: 'drop-stale-uploads', everyMinutes: 10, atMinute: 0 },
  { job: 'keep-event-partitions', everyMinutes: 360, atMinute: 23 },
  { job: 'expire-old-data', everyMinutes: 60, atMinute: 11 },
  { job: 'merge-count-slots', everyMinutes: 60, atMinute: 3 },
  { job: 'count-storage', everyMinutes: 60, atMinute: 29 },
  { job: 'drop-expired-answers', everyMinutes: 60, atMinute: 7 },
  { job: 'drop-expired-sessions', everyMinutes: 60, atMinute: 17 },
  { job: 'drop-unused-blobs', everyMinutes: 60, atMinute: 23 },
  { job: 'sweep-objects', everyMinutes: 1_440, atMinute: 167 },
  { job: 'drop-old-mailbox-events', everyMinutes: 60, atMinute: 41 },
  { job: 'return-due-threads', everyMinutes: 1, atMinute: 0 },
  { job: 'drop-old-webhook-calls', everyMinutes: 60, atMinute: 41 },
];

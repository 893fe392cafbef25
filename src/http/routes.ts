/** Every route of the API, in the order of the documentation. */
import { signOnRoutes } from '../features/identity/single-sign-on/sign-on.routes.ts';
import { analyticsRoutes } from '../features/activity/analytics/analytics.routes.ts';
import { addressRoutes } from '../features/mailboxes/addresses/addresses.routes.ts';
import { blockRoutes } from '../features/mailboxes/blocks/blocks.routes.ts';
import { ruleRoutes } from '../features/mailboxes/rules/rules.routes.ts';
import { signatureRoutes } from '../features/mailboxes/signatures/signatures.routes.ts';
import { answerRoutes } from '../features/mailboxes/answers/answers.routes.ts';
import { personRoutes } from '../features/mailboxes/people/people.routes.ts';
import { notificationRoutes } from '../features/mailboxes/notifications/notifications.routes.ts';
import { reportRoutes } from '../features/mailboxes/report/report.routes.ts';
import { approvalRoutes } from '../features/sending/approvals/approvals.routes.ts';
import { sendPolicyRoutes } from '../features/sending/policies/policies.routes.ts';
import { apiKeyRoutes } from '../features/identity/api-keys/api-keys.routes.ts';
import { abTestRoutes } from '../features/campaigns/ab-test/ab-test.routes.ts';
import { automationRoutes } from '../features/automations/automations.routes.ts';
import { customEventRoutes } from '../features/automations/custom-events/custom-events.routes.ts';
import { automationRunRoutes } from '../features/automations/reports/runs.routes.ts';
import { appPasswordRoutes } from '../features/identity/app-passwords/app-passwords.routes.ts';
import { campaignRoutes } from '../features/campaigns/campaigns.routes.ts';
import { campaignCheckRoutes } from '../features/campaigns/check/check.routes.ts';
import { campaignVersionRoutes } from '../features/campaigns/campaign-versions.routes.ts';
import { campaignReportRoutes } from '../features/campaigns/report/report.routes.ts';
import { contactBookRoutes } from '../features/audience/contact-books/contact-books.routes.ts';
import { contactRoutes } from '../features/audience/contacts/contacts.routes.ts';
import { exportRoutes } from '../features/audience/contacts/exports/export.routes.ts';
import { importRoutes } from '../features/audience/contacts/imports/imports.routes.ts';
import { feedRoutes } from '../features/campaigns/feeds/feeds.routes.ts';
import { growthRoutes } from '../features/audience/growth/growth.routes.ts';
import { formRoutes } from '../features/audience/forms/forms.routes.ts';
import { segmentContactRoutes } from '../features/audience/contacts/segment-contacts.routes.ts';
import { domainHealthRoutes } from '../features/deliverability/health/health.routes.ts';
import { domainReportRoutes } from '../features/deliverability/reports/reports.routes.ts';
import { domainRoutes } from '../features/sending/domains/domains.routes.ts';
import { brakeRoutes } from '../features/deliverability/brakes/brakes.routes.ts';
import { egressRoutes } from '../features/sending/egress/egress.routes.ts';
import { emailRoutes } from '../features/sending/emails/emails.routes.ts';
import { emailLogRoutes } from '../features/activity/email-log/email-log.routes.ts';
import { accountRoutes } from '../features/identity/people/account.routes.ts';
import { authRoutes } from '../features/identity/people/auth.routes.ts';
import { passkeyRoutes } from '../features/identity/passkeys/passkeys.routes.ts';
import { memberRoutes } from '../features/identity/people/members.routes.ts';
import { automaticReplyRoutes } from '../features/mailboxes/vacation/vacation.routes.ts';
import { accessRoutes } from '../features/mailboxes/access/access.routes.ts';
import { mailboxRoutes } from '../features/mailboxes/mailboxes/mailboxes.routes.ts';
import { queueRoutes } from '../features/delivery/queue/queue.routes.ts';
import { instanceInfoRoutes } from '../features/account/instance-info/instance-info.routes.ts';
import { sandboxRoutes } from '../features/delivery/sandbox/sandbox.routes.ts';
import { segmentRoutes } from '../features/audience/segments/segments.routes.ts';
import { savedReplyRoutes } from '../features/mailboxes/saved-replies/saved-replies.routes.ts';
import { requestLogRoutes } from '../features/activity/request-log/request-log.routes.ts';
import { auditRoutes } from '../features/audit/audit.routes.ts';
import { brandRoutes } from '../features/content/brand/brand.routes.ts';
import { mediaRoutes } from '../features/content/media/media.routes.ts';
import { suppressionRoutes } from '../features/sending/suppressions/suppressions.routes.ts';
import { noticeRoutes } from '../features/account/notices/notices.routes.ts';
import { teamRoutes } from '../features/account/teams/teams.routes.ts';
import { templateVersionRoutes } from '../features/content/templates/template-versions.routes.ts';
import { starterRoutes } from '../features/content/starters/starters.routes.ts';
import { templateRoutes } from '../features/content/templates/templates.routes.ts';
import { topicRoutes } from '../features/audience/topics/topics.routes.ts';
import { updateContactsRoutes } from '../features/audience/topics/update-contacts.routes.ts';
import { sendingRoutes } from '../features/mailboxes/writing/sending.routes.ts';
import { retentionRoutes } from '../features/retention/retention.routes.ts';
import { folderRoutes } from '../features/mailboxes/reading/folders.routes.ts';
import { mutingRoutes } from '../features/mailboxes/muting/muting.routes.ts';
import { snoozingRoutes } from '../features/mailboxes/snoozing/snoozing.routes.ts';
import { labelRoutes } from '../features/mailboxes/labels/labels.routes.ts';
import { teamworkRoutes } from '../features/mailboxes/teamwork/teamwork.routes.ts';
import { mergingRoutes } from '../features/mailboxes/merging/merging.routes.ts';
import { threadRoutes } from '../features/mailboxes/reading/threads.routes.ts';
import { callRoutes } from '../features/webhooks/calls.routes.ts';
import { webhookRoutes } from '../features/webhooks/webhooks.routes.ts';
import { formPreviewRoutes } from './public/form-preview.routes.ts';
import type { AnyRoute } from '../features/api/route.ts';

export const apiRoutes: AnyRoute[] = [
  ...emailRoutes,
  ...emailLogRoutes,
  ...templateRoutes,
  ...templateVersionRoutes,
  ...starterRoutes,
  ...mediaRoutes,
  ...domainRoutes,
  ...domainHealthRoutes,
  ...brakeRoutes,
  ...egressRoutes,
  ...domainReportRoutes,
  ...contactBookRoutes,
  ...growthRoutes,
  ...contactRoutes,
  ...updateContactsRoutes,
  ...retentionRoutes,
  ...importRoutes,
  ...exportRoutes,
  ...segmentRoutes,
  ...segmentContactRoutes,
  ...topicRoutes,
  ...formRoutes,
  ...formPreviewRoutes,
  ...campaignRoutes,
  ...campaignCheckRoutes,
  ...campaignVersionRoutes,
  ...automationRoutes,
  ...automationRunRoutes,
  ...customEventRoutes,
  ...campaignReportRoutes,
  ...feedRoutes,
  ...abTestRoutes,
  ...suppressionRoutes,
  ...queueRoutes,
  ...sandboxRoutes,
  ...analyticsRoutes,
  ...mailboxRoutes,
  ...addressRoutes,
  ...signatureRoutes,
  ...blockRoutes,
  ...ruleRoutes,
  ...accessRoutes,
  ...automaticReplyRoutes,
  ...sendingRoutes,
  ...folderRoutes,
  ...threadRoutes,
  ...mergingRoutes,
  ...teamworkRoutes,
  ...labelRoutes,
  ...snoozingRoutes,
  ...mutingRoutes,
  ...answerRoutes,
  ...personRoutes,
  ...reportRoutes,
  ...notificationRoutes,
  ...savedReplyRoutes,
  ...appPasswordRoutes,
  ...webhookRoutes,
  ...callRoutes,
  ...teamRoutes,
  ...brandRoutes,
  ...noticeRoutes,
  ...instanceInfoRoutes,
  ...apiKeyRoutes,
  ...sendPolicyRoutes,
  ...approvalRoutes,
  ...memberRoutes,
  ...signOnRoutes,
  ...auditRoutes,
  ...requestLogRoutes,
  ...authRoutes,
  ...accountRoutes,
  ...passkeyRoutes,
];

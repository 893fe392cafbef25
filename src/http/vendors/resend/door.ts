/** The door for applications that use Resend, such as its SDK with another base URL. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { resendAutomationRunRoutes } from './automations/automation-runs.ts';
import { resendAutomationRoutes } from './automations/automations.ts';
import { resendEventRoutes } from './automations/events.ts';
import { resendApiKeyRoutes } from './account/api-keys.ts';
import { resendClickedLinkRoutes } from './broadcasts/broadcast-links.ts';
import { resendRecipientRoutes } from './broadcasts/broadcast-recipients.ts';
import { resendBroadcastRoutes } from './broadcasts/broadcasts.ts';
import { resendImportRoutes } from './audience/contact-imports.ts';
import { resendContactLinkRoutes } from './audience/contact-links.ts';
import { resendContactPropertyRoutes } from './audience/contact-properties.ts';
import { resendContactRoutes } from './audience/contacts.ts';
import { resendDomainRoutes } from './account/domains.ts';
import { resendFileRoutes } from './emails/email-files.ts';
import { resendEmailRoutes } from './emails/emails.ts';
import { resendErrors } from './routing/errors.ts';
import { resendAgentRoutes } from './inboxes/inbox-agent.ts';
import { resendDraftRoutes } from './inboxes/inbox-drafts.ts';
import { resendLabelRoutes } from './inboxes/inbox-labels.ts';
import { resendForwardRoutes } from './inboxes/inbox-forward.ts';
import { resendThreadRoutes } from './inboxes/inbox-threads.ts';
import { resendInboxRoutes } from './inboxes/inboxes.ts';
import { resendMetricRoutes } from './account/metrics.ts';
import { resendSegmentRoutes } from './audience/segments.ts';
import { resendSuppressionRoutes } from './account/suppressions.ts';
import { resendTemplateRoutes } from './emails/templates.ts';
import { resendTopicRoutes } from './audience/topics.ts';
import { resendWebhookEventRoutes } from './account/webhook-events.ts';
import { resendWebhookRoutes } from './account/webhooks.ts';

export const resendDoor: VendorDoor = {
  prefix: '/resend',
  routes: [
    ...resendEmailRoutes,
    ...resendMetricRoutes,
    ...resendFileRoutes,
    ...resendDomainRoutes,
    ...resendApiKeyRoutes,
    ...resendSuppressionRoutes,
    ...resendContactRoutes,
    ...resendImportRoutes,
    ...resendContactLinkRoutes,
    ...resendContactPropertyRoutes,
    ...resendSegmentRoutes,
    ...resendTopicRoutes,
    ...resendTemplateRoutes,
    ...resendBroadcastRoutes,
    ...resendRecipientRoutes,
    ...resendClickedLinkRoutes,
    ...resendInboxRoutes,
    ...resendThreadRoutes,
    ...resendDraftRoutes,
    ...resendForwardRoutes,
    ...resendLabelRoutes,
    ...resendAgentRoutes,
    ...resendWebhookRoutes,
    ...resendWebhookEventRoutes,
    ...resendAutomationRoutes,
    ...resendAutomationRunRoutes,
    ...resendEventRoutes,
  ],
  errorForm: resendErrors,
  missing: ['/logs', '/oauth', '/usage', '/domains/claim', '/domains/{id}/claim', '/emails/{id}/share'],
  isAtRoot: true,
};

/** The door for applications that use Resend, such as its SDK with another base URL. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { resendApiKeyRoutes } from './api-keys.ts';
import { resendClickedLinkRoutes } from './broadcast-links.ts';
import { resendRecipientRoutes } from './broadcast-recipients.ts';
import { resendBroadcastRoutes } from './broadcasts.ts';
import { resendImportRoutes } from './contact-imports.ts';
import { resendContactLinkRoutes } from './contact-links.ts';
import { resendContactPropertyRoutes } from './contact-properties.ts';
import { resendContactRoutes } from './contacts.ts';
import { resendDomainRoutes } from './domains.ts';
import { resendFileRoutes } from './email-files.ts';
import { resendEmailRoutes } from './emails.ts';
import { resendErrors } from './errors.ts';
import { resendDraftRoutes } from './inbox-drafts.ts';
import { resendThreadRoutes } from './inbox-threads.ts';
import { resendInboxRoutes } from './inboxes.ts';
import { resendMetricRoutes } from './metrics.ts';
import { resendSegmentRoutes } from './segments.ts';
import { resendSuppressionRoutes } from './suppressions.ts';
import { resendTemplateRoutes } from './templates.ts';
import { resendTopicRoutes } from './topics.ts';
import { resendWebhookEventRoutes } from './webhook-events.ts';
import { resendWebhookRoutes } from './webhooks.ts';

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
    ...resendWebhookRoutes,
    ...resendWebhookEventRoutes,
  ],
  errorForm: resendErrors,
  missing: [
    '/automations',
    '/events',
    '/inboxes/{inbox}/agent',
    '/inboxes/{inbox}/labels',
    '/inboxes/{inbox}/threads/{thread}/labels',
    '/inboxes/{inbox}/threads/{thread}/emails/{email}/forward',
    '/logs',
    '/oauth',
    '/usage',
    '/domains/claim',
    '/domains/{id}/claim',
    '/emails/{id}/share',
  ],
  isAtRoot: true,
};

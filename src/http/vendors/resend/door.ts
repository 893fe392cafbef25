/** The door for applications that use Resend, such as its SDK with another base URL. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { resendApiKeyRoutes } from './api-keys.ts';
import { resendRecipientRoutes } from './broadcast-recipients.ts';
import { resendBroadcastRoutes } from './broadcasts.ts';
import { resendContactLinkRoutes } from './contact-links.ts';
import { resendContactPropertyRoutes } from './contact-properties.ts';
import { resendContactRoutes } from './contacts.ts';
import { resendDomainRoutes } from './domains.ts';
import { resendFileRoutes } from './email-files.ts';
import { resendEmailRoutes } from './emails.ts';
import { resendErrors } from './errors.ts';
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
    ...resendFileRoutes,
    ...resendDomainRoutes,
    ...resendApiKeyRoutes,
    ...resendSuppressionRoutes,
    ...resendContactRoutes,
    ...resendContactLinkRoutes,
    ...resendContactPropertyRoutes,
    ...resendSegmentRoutes,
    ...resendTopicRoutes,
    ...resendTemplateRoutes,
    ...resendBroadcastRoutes,
    ...resendRecipientRoutes,
    ...resendWebhookRoutes,
    ...resendWebhookEventRoutes,
  ],
  errorForm: resendErrors,
  missing: [
    '/automations',
    '/events',
    '/inboxes',
    '/logs',
    '/oauth',
    '/usage',
    '/domains/claim',
    '/domains/{id}/claim',
    '/emails/metrics',
    '/contacts/imports',
    '/broadcasts/{id}/clicked-links',
    '/emails/{id}/share',
  ],
  isAtRoot: true,
};

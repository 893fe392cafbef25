/** Every route of the API, in the order of the documentation. */
import { analyticsRoutes } from '../features/analytics/analytics.routes.ts';
import { apiKeyRoutes } from '../features/api-keys/api-keys.routes.ts';
import { campaignRoutes } from '../features/campaigns/campaigns.routes.ts';
import { contactBookRoutes } from '../features/contact-books/contact-books.routes.ts';
import { contactRoutes } from '../features/contacts/contacts.routes.ts';
import { exportRoutes } from '../features/contacts/export.routes.ts';
import { importRoutes } from '../features/contacts/imports.routes.ts';
import { domainRoutes } from '../features/domains/domains.routes.ts';
import { emailRoutes } from '../features/emails/emails.routes.ts';
import { accountRoutes } from '../features/people/account.routes.ts';
import { authRoutes } from '../features/people/auth.routes.ts';
import { memberRoutes } from '../features/people/members.routes.ts';
import { mailboxRoutes } from '../features/mailboxes/mailboxes.routes.ts';
import { sandboxRoutes } from '../features/sandbox/sandbox.routes.ts';
import { segmentRoutes } from '../features/segments/segments.routes.ts';
import { savedReplyRoutes } from '../features/saved-replies/saved-replies.routes.ts';
import { suppressionRoutes } from '../features/suppressions/suppressions.routes.ts';
import { noticeRoutes } from '../features/notices/notices.routes.ts';
import { teamRoutes } from '../features/teams/teams.routes.ts';
import { templateRoutes } from '../features/templates/templates.routes.ts';
import { topicRoutes } from '../features/topics/topics.routes.ts';
import { sendingRoutes } from '../features/threads/sending.routes.ts';
import { threadRoutes } from '../features/threads/threads.routes.ts';
import { callRoutes } from '../features/webhooks/calls.routes.ts';
import { webhookRoutes } from '../features/webhooks/webhooks.routes.ts';
import type { AnyRoute } from '../platform/route.ts';

export const apiRoutes: AnyRoute[] = [
  ...emailRoutes,
  ...templateRoutes,
  ...domainRoutes,
  ...contactBookRoutes,
  ...contactRoutes,
  ...importRoutes,
  ...exportRoutes,
  ...segmentRoutes,
  ...topicRoutes,
  ...campaignRoutes,
  ...suppressionRoutes,
  ...sandboxRoutes,
  ...analyticsRoutes,
  ...mailboxRoutes,
  ...sendingRoutes,
  ...threadRoutes,
  ...savedReplyRoutes,
  ...webhookRoutes,
  ...callRoutes,
  ...teamRoutes,
  ...noticeRoutes,
  ...apiKeyRoutes,
  ...memberRoutes,
  ...authRoutes,
  ...accountRoutes,
];

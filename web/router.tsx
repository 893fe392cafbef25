/** All pages and their paths. Each page is loaded on demand. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Outlet } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import {
  approvalSearch,
  automationSearch,
  campaignSearch,
  emailSearch,
  nextSearch,
  queueSearch,
  runSearch,
  textOf,
  tokenSearch,
  dayOf,
} from './searches.ts';
import { AUDIT_AREAS, type AuditArea } from './features/audit/audit-areas.ts';
import { readRequestFilter } from './features/request-log/request-filters.ts';
import { readSearch } from './features/overview/overview-range.ts';
import { sessionQuery } from './features/people/session.ts';
import { ErrorPage, NotFoundPage, StandaloneNotFoundPage } from './shell/failure-pages.tsx';
import { Shell } from './shell/shell.tsx';
import { noteSearch } from './ui/last-search.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: StandaloneNotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: nextSearch,
  component: lazyRouteComponent(() => import('./features/people/sign-in-page.tsx'), 'SignInPage'),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./features/people/setup-page.tsx'), 'SetupPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./features/people/invitation-page.tsx'), 'InvitationPage'),
});
const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten',
  component: lazyRouteComponent(() => import('./features/people/forgotten-page.tsx'), 'ForgottenPage'),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./features/people/reset-page.tsx'), 'ResetPage'),
});

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  loader: () => queryClient.ensureQueryData(sessionQuery),
});

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./features/overview/overview-page.tsx'), 'OverviewPage'),
});
const emails = createRoute({
  getParentRoute: () => app,
  path: '/emails',
  validateSearch: emailSearch,
  component: lazyRouteComponent(() => import('./features/emails/emails-page.tsx'), 'EmailsPage'),
});
const email = createRoute({
  getParentRoute: () => app,
  path: '/emails/$emailId',
  component: lazyRouteComponent(() => import('./features/emails/email-page.tsx'), 'EmailPage'),
});
const queue = createRoute({
  getParentRoute: () => app,
  path: '/queue',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('./features/queue/queue-page.tsx'), 'QueuePage'),
});
const approvals = createRoute({
  getParentRoute: () => app,
  path: '/approvals',
  validateSearch: approvalSearch,
  component: lazyRouteComponent(() => import('./features/approvals/approvals-page.tsx'), 'ApprovalsPage'),
});
const approval = createRoute({
  getParentRoute: () => app,
  path: '/approvals/$approvalId',
  component: lazyRouteComponent(() => import('./features/approvals/approval-page.tsx'), 'ApprovalPage'),
});
const egress = createRoute({
  getParentRoute: () => app,
  path: '/egress',
  component: lazyRouteComponent(() => import('./features/egress/egress-page.tsx'), 'EgressPage'),
});
const domains = createRoute({
  getParentRoute: () => app,
  path: '/domains',
  component: lazyRouteComponent(() => import('./features/domains/domains-page.tsx'), 'DomainsPage'),
});
const domain = createRoute({
  getParentRoute: () => app,
  path: '/domains/$domainId',
  component: lazyRouteComponent(() => import('./features/domains/domain-page.tsx'), 'DomainPage'),
});
const suppressions = createRoute({
  getParentRoute: () => app,
  path: '/suppressions',
  component: lazyRouteComponent(
    () => import('./features/suppressions/suppressions-page.tsx'),
    'SuppressionsPage',
  ),
});
const sandbox = createRoute({
  getParentRoute: () => app,
  path: '/sandbox',
  component: lazyRouteComponent(() => import('./features/sandbox/sandbox-page.tsx'), 'SandboxPage'),
});
const contactBooks = createRoute({
  getParentRoute: () => app,
  path: '/contact-books',
  component: lazyRouteComponent(
    () => import('./features/contact-books/contact-books-page.tsx'),
    'ContactBooksPage',
  ),
});
const contactBook = createRoute({
  getParentRoute: () => app,
  path: '/contact-books/$bookId',
  validateSearch: (search): { search?: string; subscribed?: boolean } => ({
    search: textOf(search.search),
    subscribed: typeof search.subscribed === 'boolean' ? search.subscribed : undefined,
  }),
  component: lazyRouteComponent(() => import('./features/contacts/contacts-page.tsx'), 'ContactsPage'),
});
const contact = createRoute({
  getParentRoute: () => app,
  path: '/contact-books/$bookId/contacts/$contactId',
  component: lazyRouteComponent(() => import('./features/contacts/contact-page.tsx'), 'ContactPage'),
});
const allContacts = createRoute({
  getParentRoute: () => app,
  path: '/contacts',
  validateSearch: (search): { search?: string } => ({ search: textOf(search.search) }),
  component: lazyRouteComponent(() => import('./features/contacts/all-contacts-page.tsx'), 'AllContactsPage'),
});
const contactImport = createRoute({
  getParentRoute: () => app,
  path: '/contact-books/$bookId/import',
  validateSearch: (search): { importId?: string } => ({ importId: textOf(search.importId) }),
  component: lazyRouteComponent(() => import('./features/contacts/import-page.tsx'), 'ImportPage'),
});
const campaigns = createRoute({
  getParentRoute: () => app,
  path: '/campaigns',
  validateSearch: campaignSearch,
  component: lazyRouteComponent(() => import('./features/campaigns/campaigns-page.tsx'), 'CampaignsPage'),
});
const campaign = createRoute({
  getParentRoute: () => app,
  path: '/campaigns/$campaignId',
  component: lazyRouteComponent(() => import('./features/campaigns/campaign-page.tsx'), 'CampaignPage'),
});
const automations = createRoute({
  getParentRoute: () => app,
  path: '/automations',
  validateSearch: automationSearch,
  component: lazyRouteComponent(
    () => import('./features/automations/automations-page.tsx'),
    'AutomationsPage',
  ),
});
const automation = createRoute({
  getParentRoute: () => app,
  path: '/automations/$automationId',
  component: lazyRouteComponent(() => import('./features/automations/automation-page.tsx'), 'AutomationPage'),
});
const automationPeople = createRoute({
  getParentRoute: () => app,
  path: '/automations/$automationId/people',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./features/automations/people/people-page.tsx'), 'PeoplePage'),
});
const media = createRoute({
  getParentRoute: () => app,
  path: '/media',
  component: lazyRouteComponent(() => import('./features/media/media-page.tsx'), 'MediaPage'),
});
const templates = createRoute({
  getParentRoute: () => app,
  path: '/templates',
  component: lazyRouteComponent(() => import('./features/templates/templates-page.tsx'), 'TemplatesPage'),
});
const template = createRoute({
  getParentRoute: () => app,
  path: '/templates/$templateId',
  component: lazyRouteComponent(() => import('./features/templates/template-page.tsx'), 'TemplatePage'),
});
const segments = createRoute({
  getParentRoute: () => app,
  path: '/segments',
  component: lazyRouteComponent(() => import('./features/segments/segments-page.tsx'), 'SegmentsPage'),
});
const segment = createRoute({
  getParentRoute: () => app,
  path: '/segments/$segmentId',
  component: lazyRouteComponent(() => import('./features/segments/segment-page.tsx'), 'SegmentPage'),
});
const topics = createRoute({
  getParentRoute: () => app,
  path: '/topics',
  component: lazyRouteComponent(() => import('./features/topics/topics-page.tsx'), 'TopicsPage'),
});
const feeds = createRoute({
  getParentRoute: () => app,
  path: '/feeds',
  component: lazyRouteComponent(() => import('./features/feeds/feeds-page.tsx'), 'FeedsPage'),
});
const forms = createRoute({
  getParentRoute: () => app,
  path: '/forms',
  component: lazyRouteComponent(() => import('./features/forms/forms-page.tsx'), 'FormsPage'),
});
const form = createRoute({
  getParentRoute: () => app,
  path: '/forms/$formId',
  component: lazyRouteComponent(() => import('./features/forms/form-page.tsx'), 'FormPage'),
});
const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId',
  validateSearch: (search): { status?: 'waiting' | 'succeeded' | 'failed' } => ({
    status: (['waiting', 'succeeded', 'failed'] as const).find((status) => status === search.status),
  }),
  component: lazyRouteComponent(() => import('./features/webhooks/webhook-page.tsx'), 'WebhookPage'),
});
const apiKeys = createRoute({
  getParentRoute: () => app,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./features/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
});
const policies = createRoute({
  getParentRoute: () => app,
  path: '/policies',
  component: lazyRouteComponent(() => import('./features/policies/policies-page.tsx'), 'PoliciesPage'),
});
const requestLog = createRoute({
  getParentRoute: () => app,
  path: '/logs',
  validateSearch: readRequestFilter,
  component: lazyRouteComponent(
    () => import('./features/request-log/request-log-page.tsx'),
    'RequestLogPage',
  ),
});
const audit = createRoute({
  getParentRoute: () => app,
  path: '/audit',
  validateSearch: (
    search,
  ): { actor?: string; area?: AuditArea; target?: string; since?: string; until?: string } => ({
    actor: textOf(search.actor),
    area: AUDIT_AREAS.find((area) => area === search.area),
    target: textOf(search.target),
    since: dayOf(search.since),
    until: dayOf(search.until),
  }),
  component: lazyRouteComponent(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
});
const team = createRoute({
  getParentRoute: () => app,
  path: '/team',
  component: lazyRouteComponent(() => import('./features/people/team-page.tsx'), 'TeamPage'),
});
const brand = createRoute({
  getParentRoute: () => app,
  path: '/brand',
  component: lazyRouteComponent(() => import('./features/brand/brand-page.tsx'), 'BrandPage'),
});
const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/people/settings-page.tsx'), 'SettingsPage'),
});

const mail = createRoute({
  getParentRoute: () => root,
  id: 'mail',
  component: lazyRouteComponent(() => import('./features/mail/mail-shell.tsx'), 'MailShell'),
  loader: () => queryClient.ensureQueryData(sessionQuery),
});
const mailStart = createRoute({
  getParentRoute: () => mail,
  path: '/mail',
  component: lazyRouteComponent(() => import('./features/mail/mail-start.tsx'), 'MailStart'),
});
const mailFolder = createRoute({
  getParentRoute: () => mail,
  path: '/mail/$mailboxId/$folder',
  validateSearch: (search): { q?: string } => ({ q: textOf(search.q) }),
  component: lazyRouteComponent(() => import('./features/mail/mail-page.tsx'), 'MailPage'),
});
/** The page of the folder shows the thread beside the list. */
const mailThread = createRoute({ getParentRoute: () => mailFolder, path: '$threadId' });

const mailApprovals = createRoute({
  getParentRoute: () => mail,
  path: '/mail/$mailboxId/approvals',
  validateSearch: approvalSearch,
  component: lazyRouteComponent(
    () => import('./features/mail/approvals/mail-approvals-page.tsx'),
    'MailApprovalsPage',
  ),
});
/** The page of the approvals shows the email beside the list. */
const mailApproval = createRoute({ getParentRoute: () => mailApprovals, path: '$approvalId' });

const routeTree = root.addChildren([
  signIn,
  setup,
  invitation,
  forgotten,
  reset,
  app.addChildren([
    overview,
    emails,
    email,
    queue,
    approvals,
    approval,
    egress,
    domains,
    domain,
    suppressions,
    sandbox,
    contactBooks,
    contactBook,
    contact,
    allContacts,
    contactImport,
    campaigns,
    campaign,
    automations,
    automation,
    automationPeople,
    media,
    templates,
    template,
    segments,
    segment,
    topics,
    feeds,
    forms,
    form,
    webhooks,
    webhook,
    apiKeys,
    policies,
    requestLog,
    audit,
    team,
    brand,
    settings,
  ]),
  mail.addChildren([
    mailStart,
    mailFolder.addChildren([mailThread]),
    mailApprovals.addChildren([mailApproval]),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

router.subscribe('onResolved', ({ toLocation }) => noteSearch(toLocation.pathname, toLocation.search));

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** One walk through every page of the dashboard, with data on each: it is shown, axe finds nothing, and nothing fails. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../src/testing/factories.ts';
import { createCall } from '../../src/testing/test-server.ts';
import { browserPath, expectNothingFromAxe, goWithin, signUp, startWalk, type Walk } from './walk.ts';

/** The paths of all routes, as web/router.tsx has them. */
const ROUTES = [...readFileSync('web/router.tsx', 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(
  ([, path]) => path!,
);

/** What someone sees on each page after signing in, in the language of the page or from the data below. */
const SHOWN: Record<string, string> = {
  '/': 'Overview',
  '/emails': 'reader@example.org',
  '/emails/$emailId': 'Welcome aboard',
  '/queue': 'Queue',
  '/approvals': 'The keeper asks',
  '/approvals/$approvalId': 'The keeper asks',
  '/mail/$mailboxId/approvals': 'The keeper asks',
  '/domains': 'shop.test',
  '/domains/$domainId': 'shop.test',
  '/suppressions': 'gone@example.org',
  '/sandbox': 'Sandbox',
  '/contact-books': 'Readers',
  '/contact-books/$bookId': 'reader@example.org',
  '/contact-books/$bookId/contacts/$contactId': 'reader@example.org',
  '/contacts': 'reader@example.org',
  '/contact-books/$bookId/import': 'Import contacts',
  '/campaigns': 'Spring letter',
  '/campaigns/$campaignId': 'Spring letter',
  '/media': 'No images yet',
  '/templates': 'Welcome template',
  '/templates/$templateId': 'Welcome template',
  '/segments': 'In Oslo',
  '/segments/$segmentId': 'In Oslo',
  '/topics': 'Weekly news',
  '/feeds': 'feed.invalid',
  '/forms': 'Join us',
  '/forms/$formId': 'Join us',
  '/webhooks': 'https://hooks.example/one',
  '/webhooks/$webhookId': 'https://hooks.example/one',
  '/api-keys': 'Backend',
  '/policies': 'Ask first',
  '/logs': '/api/v1/mailboxes/',
  '/audit': 'Api key created',
  '/team': 'Ada Lovelace',
  '/brand': 'Brand',
  '/settings': 'Settings',
  '/mail/$mailboxId/$folder': 'The lighthouse keeper',
};

/** Pages for people who are not signed in. */
const OUTSIDE = ['/sign-in', '/setup', '/invitation', '/forgotten', '/reset'];
/** It leads to the first mailbox, and a thread is a part of the page of its folder. */
const WITHIN_OTHERS = ['/mail', '$threadId', '$approvalId'];

describe.skipIf(browserPath === null)('every page', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let ids: Record<string, string>;

  async function create(path: string, data: object): Promise<string> {
    const answer = await page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    const body = await answer.json();
    expect([path, answer.status(), body]).toEqual([path, 200, expect.anything()]);
    return String(body.id ?? body.contactId ?? body.emailId);
  }

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    const { team } = await (await page.request.get('/api/v1/auth/session')).json();
    const domain = await addDomain(walk.server.db, team.id, 'shop.test');
    const book = await create('/contactBooks', { name: 'Readers', variables: ['city'] });
    const html = '<p>Hello</p>';
    const from = 'hello@shop.test';
    const filter = { all: [{ field: 'properties.city', op: 'equals', value: 'Oslo' }] };
    const mailbox = await create('/mailboxes', { address: 'ada@shop.test', name: 'Ada' });
    ids = {
      $bookId: book,
      $domainId: String(domain),
      $contactId: await create(`/contactBooks/${book}/contacts`, { email: 'reader@example.org' }),
      $emailId: await create('/emails', { from, to: 'reader@example.org', subject: 'Welcome aboard', html }),
      $campaignId: await create('/campaigns', {
        name: 'Spring letter',
        subject: 'Spring',
        from,
        html,
        contactBookId: book,
      }),
      $templateId: await create('/templates', { name: 'Welcome template', subject: 'Welcome', html }),
      $segmentId: await create('/segments', { name: 'In Oslo', contactBookId: book, filter }),
      $formId: await create('/forms', { name: 'Join us', contactBookId: book }),
      $webhookId: await create('/webhooks', { url: 'https://hooks.example/one', events: ['*'] }),
      $mailboxId: mailbox,
      $folder: 'sent',
      $approvalId: await askForApproval(mailbox),
    };
    await create('/feeds', {
      url: 'https://feed.invalid/rss',
      contactBookId: book,
      templateId: ids.$templateId!,
      from,
      mode: 'each',
    });
    await create('/topics', { name: 'Weekly news' });
    await create('/suppressions', { email: 'gone@example.org' });
    await create('/api-keys', { name: 'Backend', permission: 'sending' });
    await create(`/mailboxes/${mailbox}/messages`, {
      to: ['keeper@example.org'],
      subject: 'The lighthouse keeper',
      text: 'Hello',
    });
  });
  afterAll(() => walk.close());

  /** An agent asks for approval. Returns the ID of the approval. */
  async function askForApproval(mailbox: string): Promise<string> {
    const policyId = await create('/send-policies', { name: 'Ask first', mode: 'approve_all' });
    const agent = { name: 'Assistant', permission: 'full', kind: 'agent', policyId };
    const headers = { origin: walk.server.url };
    const made = await (await page.request.post('/api/v1/api-keys', { data: agent, headers })).json();
    const call = createCall(walk.server.url, made.key);
    const email = { to: ['keeper@example.org'], subject: 'The keeper asks', text: 'May I?' };
    return (await call('POST', `/mailboxes/${mailbox}/messages`, email)).body.approval_id;
  }

  test('is part of this walk', () => {
    expect([...Object.keys(SHOWN), ...OUTSIDE, ...WITHIN_OTHERS].toSorted()).toEqual(
      [...new Set(ROUTES)].toSorted(),
    );
  });

  test.each(Object.keys(SHOWN))('%s shows its data', async (route) => {
    const path = route.replaceAll(/\$\w+/g, (name) => ids[name]!);
    if (route === '/' || route.startsWith('/mail')) await page.goto(path);
    else await goWithin(page, path);
    await page.locator('main').getByText(SHOWN[route]!).first().waitFor();
    await expectNothingFromAxe(page);
  });

  test.each(OUTSIDE)('%s is shown to people who are not signed in', async (path) => {
    const visit = await walk.visit(path);
    await visit.getByRole('heading', { level: 1 }).waitFor();
    await expectNothingFromAxe(visit);
    await visit.context().close();
  });

  test('has caused no errors', () => {
    expect(walk.complaints).toEqual([]);
  });
});

/** One walk through every page of the dashboard, with data on each: it is shown, axe finds nothing, and nothing fails. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillEveryPage } from './every-page.ts';
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
  '/egress': 'Outgoing routes',
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
  '/automations': 'Welcome series',
  '/automations/$automationId': 'Wait 3 days',
  '/automations/$automationId/people': 'Nobody yet',
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

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    ids = await fillEveryPage(walk, page);
  });
  afterAll(() => walk.close());

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

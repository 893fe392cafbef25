import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Walk,
  browserPath,
  chooseOption,
  expectNothingFromAxe,
  signUp,
  startWalk,
  goToSendTime,
} from './walk.ts';

const PILL = 'Sandbox: no mail leaves this machine';
const LINK = '#aa0055';
const CSV = [
  'E-Mail Address,First Name,City,Sign-up date,Opted out?,Status',
  'ada@example.org,Ada,London,2024-01-10,no,Gold',
  'bob@example.org,Bob,Paris,2024-02-11,yes,Silver',
].join('\n');

describe.skipIf(browserPath === null)('in the sandbox', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let book: string;
  let domain: string;

  const call = async (method: string, path: string, data?: unknown) => {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  };

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    domain = String((await call('POST', '/domains', { name: 'shop.test' })).id);
    await call('PUT', `/domains/${domain}/verify`);
    const isVerified = async () => (await call('GET', `/domains/${domain}`)).status === 'SUCCESS';
    await vi.waitUntil(isVerified, { timeout: 30_000 });
    book = (await call('POST', '/contactBooks', { name: 'Readers' })).id;
  }, 240_000);
  afterAll(() => walk.close());

  test('an import shows who left and which variables it makes, and they are offered right away', async () => {
    await page.goto(`/contact-books/${book}/import`);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
    const chosen = (column: string) => page.getByLabel(`Import as: ${column}`).textContent();
    await page.getByRole('heading', { name: 'Match columns' }).waitFor();
    expect(await chosen('Opted out?')).toContain('Unsubscribed (yes or no)');
    expect(await chosen('Sign-up date')).toContain('Variable: Sign_up_date');
    expect(await chosen('Status')).toContain('Variable: Status');
    await page.getByText('are imported as unsubscribed').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Start import' }).click();
    await page.getByRole('heading', { name: 'Import complete' }).waitFor();
    const { items } = await call('GET', `/contactBooks/${book}/contacts?subscribed=false`);
    expect(items.map(({ email }: { email: string }) => email)).toEqual(['bob@example.org']);
    await page.goto('/segments');
    await page.getByRole('button', { name: 'Create segment' }).first().click();
    await page.getByLabel('Name').fill('London');
    await page.getByRole('dialog').getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await chooseOption(page.getByLabel('Field'), 'Sign_up_date');
  });

  test('every page says so, and leads to the guide for going live', async () => {
    for (const path of ['/', '/domains', '/settings']) {
      await page.goto(path);
      const pill = page.getByRole('link', { name: PILL });
      await pill.waitFor();
      expect(await pill.getAttribute('href')).toBe('/docs/guides/going-live');
    }
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/domains');
    await page.getByRole('link', { name: PILL }).waitFor();
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the records of a name under .test are not needed, and the guide explains records', async () => {
    await page.goto(`/domains/${domain}`);
    await page.getByText('Not needed').first().waitFor();
    expect(await page.getByText('Found', { exact: true }).count()).toBe(0);
    const guide = page.getByRole('link', { name: 'Learn more' }).first();
    expect(await guide.getAttribute('href')).toBe('/docs/guides/domains-and-dns');
    await expectNothingFromAxe(page);
  });

  test('a campaign shows its recipients, its link colour, and that nobody gets it', async () => {
    const mark = { type: 'link', attrs: { href: 'https://shop.test/story' } };
    const content = JSON.stringify({
      type: 'doc',
      attrs: { linkColor: LINK, backgroundColor: '#f1ece1', contentColor: '#ffffff' },
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Read more', marks: [mark] }] }],
    });
    const { id } = await call('POST', '/campaigns', {
      name: 'Letter',
      from: 'Shop <news@shop.test>',
      subject: 'Hello {{city,fallback=you}}',
      contactBookId: book,
      content,
    });
    await page.goto(`/campaigns/${id}`);
    await page.getByText('1 recipient').waitFor();
    await page.locator('.tiptap a', { hasText: 'Read more' }).waitFor();
    const colour = await page.evaluate(`getComputedStyle(document.querySelector('.tiptap a')).color`);
    expect(colour).toBe('rgb(170, 0, 85)');
    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByRole('dialog').getByText('Nobody receives it.').waitFor();
    await expectNothingFromAxe(page);
    await goToSendTime(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
    await page.getByText('These emails were captured in the sandbox.').waitFor();
    await page.goto('/emails');
    await page.getByText('“Delivered” means captured here.').waitFor();
    await expectNothingFromAxe(page);
  });
});

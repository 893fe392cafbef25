import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserPath, chooseAction, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('forms', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    const domain = await call('POST', '/domains', { name: 'shop.test' });
    await call('PUT', `/domains/${domain.id}/verify`);
    const isVerified = async () => (await call('GET', `/domains/${domain.id}`)).status === 'SUCCESS';
    await vi.waitUntil(isVerified, { timeout: 30_000 });
    await call('POST', '/topics', { name: 'Jobs', defaultSubscription: 'opt_in' });
  });
  afterAll(() => walk.close());

  async function findConfirmation(email: string): Promise<string> {
    let path: string | undefined;
    const isThere = async () => {
      const { items } = await call('GET', `/emails?search=${encodeURIComponent(email)}`);
      const sent = items[0] && (await call('GET', `/emails/${items[0].id}`));
      path = /\/c\/[\w-]+/.exec(sent?.html ?? '')?.[0];
      return path !== undefined;
    };
    await vi.waitUntil(isThere, { timeout: 30_000 });
    return path!;
  }

  test('a form is built with a live preview, and people sign up by it and confirm', async () => {
    await page.getByRole('link', { name: 'Forms' }).click();
    await page.getByText('Create a contact book first.').waitFor();
    await call('POST', '/contactBooks', { name: 'Readers', variables: ['city'], doubleOptInEnabled: true });
    await page.reload();
    await page.getByRole('button', { name: 'Create form' }).click();
    await page.getByLabel('Name').fill('Home page');
    await page.keyboard.press('Enter');

    const preview = page.frameLocator('iframe[title=Preview]');
    await preview.getByRole('heading', { name: 'Subscribe to “Readers”' }).waitFor();
    await page.getByLabel('Title', { exact: true }).fill('Harbour news');
    await preview.getByRole('heading', { name: 'Harbour news' }).waitFor();
    await page.getByLabel('city', { exact: true }).check();
    await page.getByLabel('Label of city').fill('Where you live');
    await page.getByLabel('city is required').check();
    await preview.getByLabel('Where you live').waitFor();
    await page.getByLabel('Jobs').check();
    await page.getByLabel('Button', { exact: true }).last().fill('green');
    await page.getByText('The preview appears when all fields are valid.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be a colour, such as #1a2b3c').waitFor();
    await page.getByLabel('Button', { exact: true }).last().fill('#0b5d3b');
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Form saved').waitFor();
    await page.getByText('Where you live').last().waitFor();

    const id = page.url().split('/').at(-1)!;
    const visitor = await walk.visit(`/f/${id}`, { width: 390, height: 800 });
    await visitor.getByLabel('Email address').fill('grace@example.org');
    await visitor.getByLabel('Where you live').fill('Ghent');
    await visitor.getByRole('button', { name: 'Subscribe' }).click();
    await visitor.getByText('Please check your inbox').waitFor();
    await visitor.goto(await findConfirmation('grace@example.org'));
    await visitor.getByRole('button', { name: 'Yes, subscribe me' }).click();
    await visitor.getByText('grace@example.org is subscribed').waitFor();

    await page.getByRole('link', { name: 'Forms' }).first().click();
    const row = page.getByRole('row').filter({ hasText: 'Home page' });
    const cells = async () => (await row.getByRole('cell').allInnerTexts()).slice(0, 5);
    await expect.poll(cells).toEqual(['Home page', 'Readers', '1', '1', '1']);
    await expectNothingFromAxe(page);
    await row.getByRole('link').click();
    await page.getByText('100% of the sign-ups').waitFor();
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('Harbour news');

    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await chooseAction(page, 'Delete form');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete form' }).click();
    await page.getByText('No forms yet').waitFor();
    expect(walk.complaints).toEqual([]);
  });

  test('the brand has a live preview too', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/brand');
    const preview = page.frameLocator('iframe[title=Preview]');
    await preview.getByText('See all offers').waitFor();
    await page.getByLabel('Footer text').fill('You asked for our news.');
    await preview.getByText('You asked for our news.').waitFor();
    // The browser reports only a colour that differs from the previous one of the picker.
    await page.getByLabel('Content background').fill('#ffffff');
    await page.getByText('#ffffff', { exact: true }).waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByText('No segments yet').waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

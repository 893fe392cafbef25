import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  browserPath,
  chooseAction,
  expectNothingFromAxe,
  signUp,
  startWalk,
  type Walk,
  goToSendTime,
} from './walk.ts';

describe.skipIf(browserPath === null)('an email', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    page = await signUp(walk);
    const domain = await call('POST', '/domains', { name: 'shop.test' });
    await call('PUT', `/domains/${domain.id}/verify`);
    const isVerified = async () => (await call('GET', `/domains/${domain.id}`)).status === 'SUCCESS';
    await vi.waitUntil(isVerified, { timeout: 30_000 });
    const book = await call('POST', '/contactBooks', { name: 'Readers' });
    await call('POST', `/contactBooks/${book.id}/contacts/bulk`, [
      { email: 'ada@example.org', firstName: 'Ada' },
      { email: 'bob@example.org', subscribed: false },
    ]);
  });
  afterAll(() => walk.close());

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  function dialog() {
    return page.getByRole('dialog');
  }

  test('begins with a starter template from the gallery', async () => {
    await page.goto('/campaigns');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await dialog().getByLabel('Name').fill('March');
    await dialog().getByText('Event invitation').click();
    await expect.poll(() => dialog().getByLabel('Subject').inputValue()).toContain('You are invited');
    await expect.poll(() => dialog().getByText('Receipt').count()).toBe(0);
    await dialog().getByLabel('In dark mode').check();
    await expectNothingFromAxe(page);
    const methods: string[] = [];
    page.on('request', (request) => methods.push(request.method()));
    await page.getByRole('button', { name: 'Create campaign' }).click();
    const editor = page.getByRole('textbox', { name: 'Message' });
    await editor.getByText('The Harbour Hall').waitFor();
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.frameLocator('iframe').getByText('The Harbour Hall').waitFor();
    // Opening an email does not change it.
    await page.getByText('All changes saved').waitFor();
    expect(methods).not.toContain('PATCH');
    await page.getByRole('button', { name: 'Dark' }).click();
    const shown = () => page.locator('iframe').getAttribute('srcdoc');
    await expect.poll(shown).toMatch(/@media \(min-width:0\)\s*\{\s*\.ph-page/);
    await page.getByRole('radio', { name: 'Plain text' }).click();
    await page.locator('pre').getByText('The Harbour Hall').waitFor();
    await expectNothingFromAxe(page);
  });

  test('is checked before it is sent: what blocks is red and stops the button', async () => {
    await page.getByRole('tab', { name: 'Message' }).click();
    await page.getByLabel('Subject').fill('Hello {{shoeSize}}');
    await page.getByText('All changes saved').waitFor();
    await page.getByRole('button', { name: 'Send…' }).click();
    await dialog().getByText('1 recipient').waitFor();
    await dialog().getByText('Who gets it, and who does not').click();
    await dialog().getByText('Unsubscribed: 1').waitFor();
    await dialog().getByRole('button', { name: 'Continue' }).click();
    const check = dialog().getByRole('region', { name: 'Before you send' });
    await check.getByText('No contact has a value for these merge tags').waitFor();
    await check.getByText('1 link still leads to example.com').waitFor();
    await expectNothingFromAxe(page);
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => dialog().getByRole('button', { name: 'Send now' }).isDisabled()).toBe(true);
    await expectNothingFromAxe(page);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Subject').fill('Hello');
    await page.getByText('All changes saved').waitFor();
    await page.getByRole('button', { name: 'Send…' }).click();
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await check.getByText('There is no preview text').waitFor();
    await dialog().getByRole('button', { name: 'Recipients' }).click();
    await goToSendTime(page);
    await expect.poll(() => dialog().getByRole('button', { name: 'Send now' }).isDisabled()).toBe(false);
    await dialog().getByRole('button', { name: 'Close' }).click();
  });

  test('has versions that can be looked at and restored', async () => {
    await chooseAction(page, 'Versions');
    await dialog().getByText('You are invited: the name of the event').first().waitFor();
    await dialog().frameLocator('iframe').getByText('The Harbour Hall').waitFor();
    await expectNothingFromAxe(page);
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version restored').waitFor();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toContain('You are invited');
    await chooseAction(page, 'Versions');
    await expect.poll(() => dialog().getByRole('listitem').count()).toBe(2);
    await dialog().getByRole('button', { name: 'Close' }).click();
  });

  test('can be brought along as MJML, on a phone too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/templates');
    await page.getByRole('button', { name: 'Create template' }).click();
    await dialog().getByLabel('Name').fill('Own');
    await dialog().getByText('HTML or MJML').first().click();
    const field = dialog().getByRole('textbox', { name: 'HTML or MJML' });
    await field.fill('<mjml><mj-body>');
    await dialog().getByRole('button', { name: 'Create template' }).click();
    await dialog().getByText('cannot be rendered').waitFor();
    await expectNothingFromAxe(page);
    await field.fill(
      // Its default font would be an external stylesheet, which previews do not load.
      '<mjml><mj-head><mj-attributes><mj-all font-family="Arial" /></mj-attributes></mj-head><mj-body><mj-section><mj-column><mj-text>Made of MJML</mj-text></mj-column></mj-section></mj-body></mjml>',
    );
    await dialog().getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.frameLocator('iframe').getByText('Made of MJML').waitFor();
    await page.getByRole('tab', { name: 'Message' }).click();
    await page.getByLabel('HTML').fill('<p>Changed</p>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => page.getByLabel('HTML').inputValue()).toContain('Made of MJML');
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    expect(walk.complaints).toEqual([]);
  });
});

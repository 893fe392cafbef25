import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('translations', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    await call('POST', '/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS'`.execute(walk.server.db);
  }, 60_000);
  afterAll(() => walk.close());

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  const content = JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Three books' }] }],
  });

  async function addGerman(): Promise<void> {
    await page.getByRole('tab', { name: 'Languages' }).click();
    await page.getByLabel('Language', { exact: true }).fill('no tag');
    await page.getByRole('button', { name: 'Add language' }).click();
    await page.getByText('This is not a language tag').waitFor();
    await page.getByLabel('Language', { exact: true }).fill('de');
    await page.getByRole('button', { name: 'Add language' }).click();
    await page.getByRole('tab', { name: 'German (de)' }).click();
    const panel = page.getByRole('tabpanel', { name: 'German (de)' });
    await panel.getByLabel('Subject').fill('Neu im November');
    await panel.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' auf Deutsch');
    await expectNothingFromAxe(page);
  }

  test('are written in the draft of a campaign, and removed again', async () => {
    const { id: contactBookId } = await call('POST', '/contactBooks', { name: 'Readers' });
    const { id } = await call('POST', '/campaigns', {
      name: 'November',
      from: 'News <news@shop.test>',
      subject: 'New in November',
      content,
      contactBookId,
    });
    await page.goto(`/campaigns/${id}`);
    await addGerman();
    const stored = async () => (await call('GET', `/campaigns/${id}`)).translations;
    await expect.poll(stored).toMatchObject({
      de: { subject: 'Neu im November', content: expect.stringContaining('books auf Deutsch') },
    });
    await page.getByRole('button', { name: 'Remove German (de)' }).click();
    await expect.poll(stored).toBeNull();
  });

  test('are written in a template', async () => {
    const { id } = await call('POST', '/templates', { name: 'Welcome', subject: 'Welcome', content });
    await page.goto(`/templates/${id}`);
    await addGerman();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await call('GET', `/templates/${id}`)).translations?.de)
      .toMatchObject({
        subject: 'Neu im November',
        html: expect.stringContaining('books auf Deutsch'),
      });
  });
});

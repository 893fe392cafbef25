import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('what somebody wrote is not lost', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let book: { id: string };

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    book = await call('POST', '/contactBooks', { name: 'Readers', variables: ['city'] });
  });
  afterAll(() => walk.close());

  test('a template that is not saved asks before it is left, once', async () => {
    const { id } = await call('POST', '/templates', { name: 'Welcome', html: '<p>Hello</p>' });
    await page.goto(`/templates/${id}`);
    await page.getByLabel('Subject').fill('Good to have you');
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Good to have you');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The template is saved').waitFor();
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByText('No segment yet').waitFor();

    await page.goBack();
    await page.getByLabel('Subject').fill('Never mind');
    await page.goForward();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByText('No segment yet').waitFor();
    expect((await call('GET', `/templates/${id}`)).subject).toBe('Good to have you');

    await page.goto(`/templates/${id}`);
    await page.getByLabel('Subject').fill('Never mind');
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
    await page.getByText('No template yet').waitFor();
  });

  test('so do the conditions of a segment, and closing the tab asks too', async () => {
    const input = { name: 'Oslo', contactBookId: book.id, filter: { all: [] } };
    const { id } = await call('POST', '/segments', input);
    await page.goto(`/segments/${id}`);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).waitFor();
    await page.keyboard.press('Escape');
    const asked = page.waitForEvent('dialog');
    const leaving = page.goto('/topics').catch(() => null);
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await leaving;
  });
});

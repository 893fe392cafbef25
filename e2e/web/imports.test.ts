import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(!browserPath)('importing into a book with double opt-in', () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  }, 240_000);
  afterAll(() => walk.close());

  async function createBook(name: string): Promise<string> {
    const headers = { origin: walk.server.url };
    const data = { name, doubleOptInEnabled: true };
    const made = await page.request.post('/api/v1/contactBooks', { data, headers });
    return (await made.json()).id;
  }

  async function choose(csv: string): Promise<void> {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('heading', { name: 'What the columns hold' }).waitFor();
  }

  const start = () => page.getByRole('button', { name: 'Start the import' });

  test('the page asks for the consent of the people, and the contact keeps it', async () => {
    const book = await createBook('Careful');
    await page.goto(`/contact-books/${book}/import`);
    await choose('email\nada@example.org\n');
    expect(await start().isDisabled()).toBe(true);
    await page.getByLabel('Ask each of them').check();
    expect(await start().isEnabled()).toBe(true);
    await page.getByLabel('Yes, they agreed elsewhere').check();
    expect(await start().isDisabled()).toBe(true);
    await page.getByLabel('How and when did they agree?').fill('Signed at the fair');
    await expectNothingFromAxe(page);
    await start().click();
    await page.getByRole('heading', { name: 'The import is done' }).waitFor();
    await page.getByText('Note: Signed at the fair').waitFor();
    await page.getByRole('link', { name: 'See the contacts' }).click();
    await page.getByRole('cell', { name: 'Subscribed', exact: true }).waitFor();
    await page.getByRole('button', { name: 'ada@example.org' }).click();
    await page.getByRole('dialog').getByText('Signed at the fair').waitFor();
  });

  test('an import is found again after leaving the page, and stopped', async () => {
    const book = await createBook('Large');
    await page.goto(`/contact-books/${book}/import`);
    const lines = Array.from({ length: 300_000 }, (_, index) => `person${index}@example.org`);
    await choose(`email\n${lines.join('\n')}`);
    await page.getByLabel('Not yet').check();
    await start().click();
    await page.getByRole('heading', { name: 'Reading the file' }).waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('link', { name: 'Contact books' }).click();
    await page.getByRole('link', { name: /Large/ }).click();
    await page.getByRole('link', { name: 'Import' }).click();
    const table = page.getByRole('table', { name: 'Imports of this book' });
    await table.getByText(/^Running, \d+ %$/).waitFor();
    await table.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await table.getByText('Stopped').waitFor();
    await expectNothingFromAxe(page);
    await table.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'The import was stopped' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'The import was stopped' }).waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

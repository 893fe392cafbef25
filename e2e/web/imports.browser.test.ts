import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

describe.skipIf(!browserPath)('importing into a book', () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  }, 240_000);
  afterAll(() => walk.close());

  async function createBook(name: string, doubleOptInEnabled = true): Promise<string> {
    const headers = { origin: walk.server.url };
    const data = { name, doubleOptInEnabled };
    const made = await page.request.post('/api/v1/contactBooks', { data, headers });
    return (await made.json()).id;
  }

  async function choose(csv: string): Promise<void> {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('heading', { name: 'Match columns' }).waitFor();
  }

  const start = () => page.getByRole('button', { name: 'Start import' });

  test('the page asks for the consent of the people, and the contact keeps it', async () => {
    const book = await createBook('Careful');
    await page.goto(`/contact-books/${book}/import`);
    // If the button is pressed too early, the form says what is missing and moves the focus there.
    const isFocused = (field: Locator) => field.and(page.locator(':focus')).count();
    await choose('address\nada@example.org\n');
    await start().click();
    await page.getByText('Choose the column with the email address.').waitFor();
    const column = page.getByLabel('Import as: address');
    await expect.poll(() => isFocused(column)).toBe(1);
    await chooseOption(column, 'Email address');
    await page.getByText('Choose an option before you start the import.').waitFor();
    await start().click();
    await expect.poll(() => isFocused(page.getByLabel('Yes, they already agreed'))).toBe(1);
    await expectNothingFromAxe(page);
    await page.getByLabel('Yes, they already agreed').check();
    const note = page.getByLabel('How and when did they agree? (required)');
    await start().click();
    await page.getByText('Describe how and when they agreed.').waitFor();
    await expect.poll(() => isFocused(note)).toBe(1);
    await note.fill('Signed at the fair');
    await expect.poll(() => page.getByText('Describe how and when they agreed.').count()).toBe(0);
    await expectNothingFromAxe(page);
    await start().click();
    await page.getByRole('heading', { name: 'Import complete' }).waitFor();
    await page.getByText('Note: Signed at the fair').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.getByRole('table', { name: 'Imports' }).getByRole('link').click();
    await page.getByText('Note: Signed at the fair').waitFor();
    await page.getByRole('link', { name: 'View contacts' }).click();
    await page.getByRole('cell', { name: 'Subscribed', exact: true }).waitFor();
    await page.getByRole('link', { name: 'ada@example.org' }).click();
    await page.getByText('Signed at the fair').waitFor();
  });

  test('a book without double opt-in has nothing about confirmation, neither in the result nor in the list', async () => {
    const book = await createBook('Plain', false);
    await page.goto(`/contact-books/${book}/import`);
    await choose('email\nada@example.org\n');
    await start().click();
    await page.getByRole('heading', { name: 'Import complete' }).waitFor();
    await page.getByText('New', { exact: true }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/confirm|agreed/i);
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.getByRole('table', { name: 'Imports' }).getByRole('link').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/confirm|consent/i);
    await expectNothingFromAxe(page);
  });

  test('leaving while the file is uploaded asks first, and nothing is imported or opened afterwards', async () => {
    const book = await createBook('Slow');
    await page.goto(`/contact-books/${book}/import`);
    await choose('email\nada@example.org\n');
    await page.getByLabel('No, import them as unconfirmed').check();
    const path = `**/contactBooks/${book}/imports?**`;
    await page.route(path, () => {});
    await start().click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByText('The file is still uploading.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).click();
    const isAborted = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await isAborted;
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    await page.unroute(path);
  });

  test('an import is found again after leaving the page, and stopped', async () => {
    const book = await createBook('Large');
    await page.goto(`/contact-books/${book}/import`);
    const lines = Array.from({ length: 300_000 }, (_, index) => `person${index}@example.org`);
    await choose(`email\n${lines.join('\n')}`);
    await page.getByLabel('No, import them as unconfirmed').check();
    await start().click();
    await page.getByRole('heading', { name: 'Reading the file' }).waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('link', { name: 'Contact books' }).click();
    await page.getByRole('link', { name: /Large/ }).click();
    await page.getByRole('link', { name: 'Import' }).click();
    const table = page.getByRole('table', { name: 'Imports' });
    await table.getByRole('cell', { name: '7.4 MB' }).waitFor();
    await table
      .getByText(/^Running, \d+%$/)
      .locator('visible=true')
      .waitFor();
    await table.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await table.getByText('Stopped').locator('visible=true').waitFor();
    await expectNothingFromAxe(page);
    // On a phone nothing overflows.
    await page.setViewportSize({ width: 390, height: 780 });
    await table.getByText(/rows, 7\.4 MB/).waitFor();
    const isCut = `[...document.querySelectorAll('[role=cell], [role=cell] .truncate')].some(
      (cell) => cell.scrollWidth > cell.clientWidth)`;
    await expect.poll(() => page.evaluate(isCut)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await table.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Import stopped' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Import stopped' }).waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

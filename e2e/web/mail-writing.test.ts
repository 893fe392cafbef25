import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { paste, pasteFiles } from './paste.ts';
import { browserPath } from './walk.ts';

describe.skipIf(browserPath === null)('a letter that is being written', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    const ada = await walk.createMailbox('ada');
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    await page.getByText('No conversation is open').waitFor();
    await page.keyboard.press('c');
    await editorOf(page).waitFor();
  });
  afterAll(() => walk.close());

  test('takes addresses as other programs list them', async () => {
    const field = page.getByRole('combobox', { name: 'To' });
    const remove = page.getByRole('button', { name: /^Remove / });
    await field.click();
    await paste(page, { 'text/plain': '"Shelley, Mary" <mary@example.org>, bob@example.org' });
    await soon(() => remove.count()).toBe(2);
    await paste(page, { 'text/plain': 'Noether, Emmy <emmy@example.org>; Kurt <kurt@example.org>' });
    await soon(() => remove.count()).toBe(4);
    // As the keyboard of a phone writes, which does not tell its keys.
    await field.fill('dora@example.org,');
    await soon(() => remove.count()).toBe(5);
    const names = await Promise.all((await remove.all()).map((one) => one.getAttribute('aria-label')));
    expect(names).toEqual(
      ['Shelley, Mary', 'bob@example.org', 'Noether, Emmy', 'Kurt', 'dora@example.org'].map(
        (name) => `Remove ${name}`,
      ),
    );
    expect(await page.getByText('is not a mail address').count()).toBe(0);
  });

  test('has the cursor in the line that was asked for', async () => {
    await page.getByRole('button', { name: 'Cc', exact: true }).click();
    await page.keyboard.type('carol@example.org,');
    await page.getByRole('button', { name: 'Remove carol@example.org' }).waitFor();
  });

  test('keeps cells apart that are pasted from a sheet', async () => {
    await editorOf(page).click();
    const rows = '<tr><td>Tea</td><td>3</td></tr><tr><td>Coffee</td><td>4</td></tr>';
    await paste(page, { 'text/html': `<table>${rows}</table>`, 'text/plain': 'Tea\t3' });
    await soon(() => editorOf(page).locator('p').allInnerTexts()).toEqual(['Tea\u20033', 'Coffee\u20034']);
  });

  test('makes pictures of a pasted text parts of the mail, and keeps one that is selected', async () => {
    const picture = `data:image/png;base64,${'A'.repeat(400)}`;
    await editorOf(page).click();
    await page.keyboard.press('Control+a');
    await paste(page, {
      'text/html': `<p>Look <img src="${picture}" alt="Pier"> there</p>`,
      'text/plain': 'x',
    });
    const image = editorOf(page).locator('img');
    await soon(() => image.getAttribute('data-cid')).toContain('@posthorn');
    expect(await image.getAttribute('src')).toMatch(/^blob:/);
    await image.click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Edit the image' });
    expect(await dialog.getByLabel('Address of the image').count()).toBe(0);
    await dialog.getByLabel('What it shows').fill('The pier');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await soon(() => image.getAttribute('alt')).toBe('The pier');
    await image.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('An image is selected').waitFor();
    await soon(() => page.evaluate(`document.activeElement.matches('.tiptap')`)).toBe(true);
    await page.keyboard.type('!');
    await soon(() => editorOf(page).innerText()).toMatch(/Look\s+!\s*there/);
    expect(await image.count()).toBe(1);
    await paste(page, { 'text/html': '<p>Word <img src="file:///pier.png"></p>', 'text/plain': 'Word' });
    await page.getByText('A picture in the pasted text could not be taken over').waitFor();
  });

  test('is discarded after a question, and without one where nothing was written', async () => {
    const discard = page.getByRole('button', { name: 'Discard the draft' });
    await discard.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('The draft is discarded').waitFor();
    await page.getByRole('button', { name: 'Compose' }).click();
    await editorOf(page).waitFor();
    await discard.click();
    await editorOf(page).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('says that a saved reply takes no pictures', async () => {
    await page.getByRole('button', { name: 'Compose' }).click();
    await editorOf(page).waitFor();
    await page.getByRole('button', { name: 'Insert a saved reply' }).click();
    await page.getByRole('menuitem', { name: 'Manage saved replies …' }).click();
    await page.getByRole('button', { name: 'New saved reply' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).click();
    for (const way of ['paste', 'drop'] as const) {
      await pasteFiles(page, [{ name: 'pier.png', type: 'image/png' }], way);
      const notes = page.getByText('Pictures and files cannot be part of a saved reply');
      await soon(() => notes.count()).toBe(way === 'paste' ? 1 : 2);
    }
    expect(walk.complaints).toEqual([]);
  });
});

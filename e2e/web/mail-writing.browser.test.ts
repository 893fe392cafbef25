import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { paste, pasteFiles } from './paste.ts';
import { browserPath, chooseOption, expectNothingFromAxe } from './walk.ts';

const GREETING = {
  name: 'Greeting',
  html: '<p>Dear {{firstName}}, <a href="https://shop.example/?who={{firstName}}">your page</a> on {{plan}}.</p>',
};

function file(name: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(name) };
}

describe.skipIf(browserPath === null)('a message that is being written', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let mailboxId: string;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    const ada = await walk.createMailbox('ada');
    mailboxId = ada.id;
    await walk.owner.call('POST', `/mailboxes/${ada.id}/saved-replies`, GREETING);
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    await page.getByText('No conversation selected').waitFor();
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
    // Keyboards of phones send text without key events.
    await field.fill('dora@example.org,');
    await soon(() => remove.count()).toBe(5);
    const names = async () => Promise.all((await remove.all()).map((one) => one.getAttribute('aria-label')));
    await soon(names).toEqual(
      ['Shelley, Mary', 'bob@example.org', 'Noether, Emmy', 'Kurt', 'dora@example.org'].map(
        (name) => `Remove ${name}`,
      ),
    );
    await soon(() => page.getByText('is not a valid email address').count()).toBe(0);
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
    await soon(() => image.getAttribute('src')).toMatch(/^blob:/);
    await image.click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Edit image' });
    await soon(() => dialog.getByLabel('Image URL').count()).toBe(0);
    await dialog.getByLabel('Alt text').fill('The pier');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await soon(() => image.getAttribute('alt')).toBe('The pier');
    await image.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Image selected').waitFor();
    await soon(() => page.evaluate(`document.activeElement.matches('.tiptap')`)).toBe(true);
    await page.keyboard.type('!');
    await soon(() => editorOf(page).innerText()).toMatch(/Look\s+!\s*there/);
    await soon(() => image.count()).toBe(1);
    await paste(page, { 'text/html': '<p>Word <img src="file:///pier.png"></p>', 'text/plain': 'Word' });
    await page.getByText('An image in the pasted text could not be inserted').waitFor();
  });

  test('is discarded after a question, and without one where nothing was written', async () => {
    const discard = page.getByRole('button', { name: 'Discard draft' });
    await discard.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('Draft discarded').waitFor();
    await page.getByRole('button', { name: 'Compose' }).click();
    await editorOf(page).waitFor();
    await discard.click();
    await editorOf(page).waitFor({ state: 'detached' });
    await soon(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('has the tags of a saved reply filled in when its recipient becomes known, and sends none unasked', async () => {
    const { body: book } = await walk.owner.call('POST', '/contactBooks', { name: 'B', variables: ['plan'] });
    await walk.owner.call('POST', `/contactBooks/${book.id}/contacts`, {
      email: 'mary@example.org',
      firstName: 'Mary & Co',
    });
    await page.getByRole('button', { name: 'Compose' }).click();
    await editorOf(page).click();
    await page.keyboard.type('/gree');
    await page.getByRole('option', { name: 'Greeting' }).click();
    await page
      .getByText('Merge tags that are filled in when you add a recipient: {{firstName}}, {{plan}}.')
      .waitFor();
    await editorOf(page).getByText('Dear {{firstName}}').waitFor();
    await page.getByLabel('Subject').fill('About {{topic}}');

    // The message is sent while the address is still being typed.
    await page.getByRole('combobox', { name: 'To' }).fill('mary@example.org');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Send with unfilled merge tags?' });
    await question.getByText('{{topic}}, {{plan}}.').waitFor();
    await page.getByText('Merge tags without a value: {{plan}}.').waitFor();
    await expectNothingFromAxe(page);
    // Enter presses the safe button.
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await editorOf(page).getByText('Dear Mary & Co, your page on {{plan}}.').waitFor();
    const link = editorOf(page).getByRole('link', { name: 'your page' });
    await soon(() => link.getAttribute('href')).toBe('https://shop.example/?who=Mary%20%26%20Co');
    // It is undone in one step, and the question is asked again, because the address of a link counts too.
    await editorOf(page).click();
    await page.keyboard.press('Control+z');
    await editorOf(page).getByText('Dear {{firstName}}, your page on {{plan}}.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await question.getByText('{{topic}}, {{firstName}}, {{plan}}.').waitFor();
    await question.getByRole('button', { name: 'Go back and edit' }).click();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click();
    await editorOf(page).waitFor({ state: 'detached' });
  });

  test('says that a saved reply takes no pictures', async () => {
    await page.getByRole('button', { name: 'Compose' }).click();
    await editorOf(page).waitFor();
    await page.getByRole('button', { name: 'Insert a saved reply' }).click();
    await page.getByRole('menuitem', { name: 'Manage saved replies…' }).click();
    await page.getByRole('button', { name: 'New saved reply' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).click();
    for (const way of ['paste', 'drop'] as const) {
      await pasteFiles(page, [{ name: 'pier.png', type: 'image/png' }], way);
      const notes = page.getByText('The text of a saved reply cannot contain images');
      await soon(() => notes.count()).toBe(way === 'paste' ? 1 : 2);
    }
    expect(walk.complaints).toEqual([]);
  });

  test('stores the folder, the files and the actions of a saved reply', async () => {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Prices');
    await dialog.getByRole('textbox', { name: 'Text' }).pressSequentially('Our prices are attached.');
    await dialog.getByRole('combobox', { name: 'Folder' }).fill('Sales');
    const input = dialog.locator('input[type=file]');
    await input.setInputFiles([file('one.txt'), file('two.txt'), file('three.txt')]);
    await dialog.getByRole('button', { name: 'Remove two.txt' }).click();
    await dialog.getByRole('switch', { name: 'Archive the conversation' }).click();
    await chooseOption(dialog.getByLabel('Assign the conversation'), 'To the person who sends the reply');
    await expectNothingFromAxe(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    const path = `/mailboxes/${mailboxId}/saved-replies`;
    const stored = async () => {
      const { items } = (await walk.owner.call('GET', path)).body;
      return items.find(({ name }: { name: string }) => name === 'Prices');
    };
    const namesOf = async () =>
      (await stored())?.attachments.map(({ filename }: { filename: string }) => filename);
    await soon(namesOf).toEqual(['one.txt', 'three.txt']);
    expect(await stored()).toMatchObject({
      folder: 'Sales',
      actions: [{ type: 'assign', user_id: 'me' }, { type: 'archive' }],
    });
    await dialog.getByRole('button', { name: 'Edit Prices' }).click();
    await dialog.getByRole('button', { name: 'Remove one.txt' }).click();
    await input.setInputFiles([file('four.txt')]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await soon(namesOf).toEqual(['three.txt', 'four.txt']);
    expect(walk.complaints).toEqual([]);
  });
});

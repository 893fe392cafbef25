import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

const ADA = 'ada@harbour.test';
const focusOf = (page: Page) =>
  page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText');

/** Webmail with the keyboard only, and printed. */
describe.skipIf(browserPath === null)('webmail without a mouse', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    const ada = await walk.createMailbox('ada', { undo_seconds: 60 });
    for (const subject of ['Gears', 'Cards']) await walk.receive(ADA, rawMail({ subject }));
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Gears' }).click();
    await page.getByRole('heading', { name: 'Gears' }).waitFor();
  });
  afterAll(() => walk.close());

  test('closing a dialog returns the focus to the element that opened it', async () => {
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await soon(() => focusOf(page)).toBe('Saved replies');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Show source' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await soon(() => focusOf(page)).toBe('More actions');
  });

  test('after a reply is sent, the focus is in the conversation', async () => {
    await page.keyboard.press('r');
    await editorOf(page).waitFor();
    await soon(() => page.evaluate('document.activeElement.isContentEditable')).toBe(true);
    await page.keyboard.type('They turn.');
    await page.keyboard.press('Control+Enter');
    await page.getByText(/Sending in/).waitFor();
    await soon(() => focusOf(page)).toBe('Conversation');
  });

  test('z undoes sending and moving', async () => {
    await page.keyboard.press('z');
    await page.getByText('Sending undone. Your draft is open.').waitFor();
    await page.getByRole('link', { name: 'Cards' }).click();
    await page.getByRole('heading', { name: 'Cards' }).waitFor();
    await page.keyboard.press('e');
    await soon(() => page.getByRole('link', { name: 'Cards' }).count()).toBe(0);
    await page.keyboard.press('z');
    await page.getByRole('link', { name: 'Cards' }).waitFor();
  });

  test('removing a recipient, a draft or selected threads moves the focus to the next element', async () => {
    await page.getByRole('link', { name: 'Gears' }).click();
    await page.getByRole('button', { name: 'Continue writing' }).press('Enter');
    await editorOf(page).waitFor();
    await page.getByRole('button', { name: /^Remove / }).press('Enter');
    await soon(() => page.evaluate('document.activeElement.labels[0].innerText')).toBe('To');
    await page.reload();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    await soon(() => focusOf(page)).toBe('Conversation');

    await walk.receive(ADA, rawMail({ subject: 'Wheels' }));
    await page.getByRole('link', { name: 'Wheels' }).waitFor();
    await page.keyboard.press('u');
    await soon(() => focusOf(page)).toContain('Gears');
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await soon(() => focusOf(page)).toContain('Cards');
    await page.keyboard.press('x');
    await page.keyboard.press('e');
    await soon(() => page.getByRole('link', { name: 'Cards' }).count()).toBe(0);
    await soon(() => focusOf(page)).toContain('Wheels');
    await page.keyboard.press('z');
    await page.getByRole('link', { name: 'Gears' }).click();
    await page.getByRole('heading', { name: 'Gears' }).waitFor();
  });

  test('on paper stands the conversation alone, whole, and dark on light', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await soon(() => page.getByRole('link', { name: 'Cards' }).isVisible()).toBe(false);
    await soon(() => page.getByRole('button', { name: 'Reply', exact: true }).first().isVisible()).toBe(
      false,
    );
    await page.getByText('It turns.').first().waitFor();
    await page.getByText('Charles <charles@example.org>').first().waitFor();
    await soon(() => page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(31, 29, 26)');
    await soon(() => page.evaluate('getComputedStyle(document.querySelector("article")).overflowY')).toBe(
      'visible',
    );
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    expect(walk.complaints).toEqual([]);
  });

  test('Escape closes what is on top: suggestions, then the message, which is kept as a draft', async () => {
    await page.goto(page.url().replace(/(\/mail\/[^/]+)\/.*/, '$1/inbox'));
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('c');
    const to = page.getByRole('combobox', { name: 'To' });
    await to.fill('cha');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await soon(() => page.getByRole('option').count()).toBe(0);
    await page.getByLabel('Subject').fill('Kept');
    await page.keyboard.press('Escape');
    await to.waitFor({ state: 'detached' });
    await soon(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.goto(page.url().replace(/inbox.*/, 'drafts'));
    await page.getByText('Kept').first().waitFor();
  });
});

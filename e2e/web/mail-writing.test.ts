import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

/** As if this were pasted where the cursor is. */
function paste(page: Page, data: Record<string, string>): Promise<void> {
  return page.evaluate(`{
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

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
    expect(walk.complaints).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe } from './walk.ts';

const ADA = 'ada@harbour.test';
const GRACE = 'grace@harbour.test';

/** Simulates pasting an image at the cursor. */
const PASTE_PICTURE = `
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const bytes = Uint8Array.from(atob(dot), (character) => character.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
`;

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('webmail', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let ada: { id: string };
  let grace: { id: string };

  beforeAll(async () => {
    walk = await startMailWalk();
  });
  afterAll(() => walk.close());

  const row = (subject: string) => page.getByRole('link', { name: subject });
  const editor = () => page.getByRole('textbox', { name: 'Message', exact: true });
  const toast = (text: string) => page.getByText(text, { exact: false }).first();
  const inboxOf = async (box: { id: string }) =>
    (await walk.owner.call('GET', `/mailboxes/${box.id}/threads?folder=inbox`)).body.items as {
      subject: string;
    }[];

  test('explains what to do without a domain, and creates the first mailbox with one', async () => {
    page = await walk.visitMail('/mail');
    await page.getByText('Verify a domain first').waitFor();
    await expectNothingFromAxe(page);
    await walk.addDomain();
    await page.reload();
    await page.getByLabel('Address').fill('ada');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByText('No messages in your inbox').waitFor();
    ada = (await walk.owner.call('GET', '/mailboxes')).body.items[0];
    grace = await walk.createMailbox('grace', { name: 'Grace Hopper', undo_seconds: 0 });
    await walk.owner.call('PATCH', `/mailboxes/${ada.id}`, { undo_seconds: 120 });
  });

  test('mail that comes in shows up by itself, and is read in its frame', async () => {
    const html = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'].join('\n');
    const body = [
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Dear Ada, the <b>engine</b> turns.</p><a href="https://example.org/plan">The plan</a>' +
        '<img src="https://tracker.example/x.png">' +
        '<div class="gmail_quote"><p>On Monday Ada wrote:</p><blockquote type="cite">Does it turn?</blockquote></div>',
      '--b',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename="notes.txt"',
      '',
      'Forty-two.',
      '--b--',
    ].join('\n');
    await walk.receive(ADA, rawMail({ subject: 'The engine', text: body, more: html }));
    await row('The engine').waitFor();
    await page.getByLabel('1 unread').waitFor();
    await row('The engine').click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('the engine turns').waitFor();
    await soon(() => frame.getByText('Does it turn?').count()).toBe(0);
    await frame.getByText('the engine turns').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    const link = frame.getByRole('link', { name: 'The plan' });
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
    await page.getByText('Sender not verified: example.org').waitFor();
    await page.getByText('1 remote image is blocked').waitFor();
    await soon(() => page.getByLabel('1 unread').count()).toBe(0);
    await page.getByRole('button', { name: 'Show quoted text' }).click();
    await frame.getByText('Does it turn?').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download notes.txt' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('notes.txt');
    await page.getByRole('button', { name: 'Preview notes.txt' }).click();
    await page.getByRole('dialog').frameLocator('iframe[sandbox=""]').getByText('Forty-two.').waitFor();
    await expectNothingFromAxe(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Show source' }).click();
    await page.getByText('Subject: The engine').waitFor();
    await page.keyboard.press('Escape');
  });

  test('a saved reply is written once and inserted with a slash, its variables filled', async () => {
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByText('0 of 100 saved replies used').waitFor();
    await page.getByRole('button', { name: 'New saved reply' }).click();
    await page.getByLabel('Name').fill('Thank you');
    await page
      .getByRole('textbox', { name: 'Text' })
      .fill('Thank you, {{firstName,fallback=friend}}. Yours, {{mailbox.name}} {{frstName}}');
    await page.getByText('Unknown merge tags: {{frstName}}.').waitFor();
    await soon(() => page.locator('.unknown-tag').allTextContents()).toEqual(['{{frstName}}']);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 of 100 saved replies used').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Reply', exact: true }).last().click();
    await editor().click();
    await page.keyboard.type('/than');
    await page.getByRole('option', { name: 'Thank you' }).waitFor();
    await page.keyboard.press('Enter');
    await editor().getByText('Thank you, friend. Yours, Ada Lovelace').waitFor();
    await page.getByText('Draft saved').waitFor();
    await expectNothingFromAxe(page);
  });

  test('a tag without a value is marked and not sent without a question', async () => {
    await soon(() => editor().locator('.unknown-tag').allTextContents()).toEqual(['{{frstName}}']);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('dialog').getByText('as written: {{frstName}}.').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Go back and edit' }).click();
    await editor().getByText('Thank you, friend').click();
    await page.keyboard.press('End');
    for (const _letter of ' {{frstName}}') await page.keyboard.press('Backspace');
    await editor().getByText('Yours, Ada Lovelace', { exact: false }).waitFor();
    await soon(() => editor().locator('.unknown-tag').count()).toBe(0);
  });

  test('sending can be undone during the countdown, and the draft comes back unchanged', async () => {
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/Sending in \d+ s/).waitFor();
    await page.getByText(/Sends in \d/).waitFor();
    await page
      .getByRole('region', { name: 'Outgoing messages' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await toast('Sending undone. Your draft is open.').waitFor();
    await editor().getByText('Thank you, friend').waitFor();
    await soon(
      async () => (await walk.owner.call('GET', `/mailboxes/${ada.id}/scheduled`)).body.items,
    ).toEqual([]);
  });

  test('undone too late it says so, and the mail has gone once', async () => {
    const to = page.getByRole('combobox', { name: 'To' });
    await page.getByRole('button', { name: 'Remove Charles' }).click();
    await to.fill('gra');
    await to.fill(GRACE);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const undo = page
      .getByRole('region', { name: 'Outgoing messages' })
      .getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    const [waiting] = (await walk.owner.call('GET', `/mailboxes/${ada.id}/scheduled`)).body.items;
    await walk.owner.call('POST', `/scheduled/${waiting.id}/send-now`);
    await undo.click();
    await toast('Too late. The message has already been sent.').waitFor();
    await soon(async () => (await inboxOf(grace)).length).toBe(1);
  });

  test('a new message is completed, formatted, carries files, and waits for its time', async () => {
    await page.keyboard.press('c');
    const to = page.getByRole('combobox', { name: 'To' });
    await to.fill('grac');
    await page.getByRole('option', { name: /grace@harbour\.test/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Subject').fill('Tomorrow');
    await editor().click();
    await page.keyboard.type('See you ');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('soon');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(300_000, 'x') });
    await page.getByRole('button', { name: 'Remove plan.pdf' }).waitFor();
    await page.evaluate(PASTE_PICTURE);
    await editor().locator('img[data-cid]').waitFor();
    await page.getByText('Draft saved').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Send later' }).click();
    await page.getByRole('menuitem', { name: 'Tomorrow morning' }).click();
    await page
      .getByText(/Scheduled for .*08:00/)
      .first()
      .waitFor();
    const [waiting] = (await walk.owner.call('GET', `/mailboxes/${ada.id}/scheduled`)).body.items;
    const { body: message } = await walk.owner.call('GET', `/messages/${waiting.id}`);
    expect(message.html).toMatch(/<strong>soon<\/strong>.*<img [^>]*src="cid:/);
    expect(message.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
      'plan.pdf',
      'dot.png',
    ]);
  });

  test('a scheduled message can be rescheduled, cancelled or sent at once', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    const item = page.getByRole('group', { name: 'Actions for Tomorrow' });
    await item.waitFor();
    await expectNothingFromAxe(page);
    await item.getByRole('button', { name: 'Reschedule' }).click();
    await page.getByRole('menuitem', { name: 'Pick a date and time' }).click();
    const field = page.getByRole('dialog').getByLabel('Date and time');
    await field.fill('2020-01-01T10:00');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Choose a time between').waitFor();
    const inTenMinutes = new Date(Date.now() + 600_000);
    await field.fill(
      new Date(inTenMinutes.getTime() - inTenMinutes.getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
    );
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Sends in (9|10):\d\d/).waitFor();
    await item.getByRole('button', { name: 'Cancel send' }).click();
    await toast('Sending cancelled').waitFor();
    await page.getByText('Nothing scheduled').waitFor();
    await editor().getByText('See you soon').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await item.getByRole('button', { name: 'Send now' }).click();
    await soon(async () => (await inboxOf(grace)).map(({ subject }) => subject)).toContain('Tomorrow');
  });

  test('a draft survives a closed tab, and two tabs do not overwrite each other blindly', async () => {
    await page.keyboard.press('c');
    await page.getByLabel('Subject').fill('Unfinished');
    await page.getByText('Draft saved').waitFor();
    await page.getByLabel('Subject').fill('Unfinished business');
    await page.close();
    page = await walk.visitMail(`/mail/${ada.id}/drafts`);
    await page.getByRole('button', { name: 'Unfinished business' }).click();
    const second = await walk.visitMail(`/mail/${ada.id}/drafts`);
    await second.getByRole('button', { name: 'Unfinished business' }).click();
    await second.getByLabel('Subject').fill('From the second tab');
    await second.getByText('Draft saved').waitFor();
    await page.getByLabel('Subject').fill('From the first tab');
    await page.getByText('This draft was changed in another tab').waitFor();
    await page.getByRole('button', { name: 'Use the other version' }).click();
    await soon(() => page.getByLabel('Subject').inputValue()).toBe('From the second tab');
    await second.context().close();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('No drafts').waitFor();
  });

  test('a connection that drops in mid-send loses nothing and sends nothing twice', async () => {
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: 'To' }).fill(GRACE);
    await page.getByLabel('Subject').fill('Once');
    await editor().fill('Only once.');
    await page.getByText('Draft saved').waitFor();
    // The request arrives, but its response is lost.
    await page.route('**/messages', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The message was not sent. Your text is saved').waitFor();
    await page.unroute('**/messages');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/Sending in \d+ s/).waitFor();
    const { items } = (await walk.owner.call('GET', `/mailboxes/${ada.id}/scheduled`)).body;
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual(['Once']);
  });

  test('by the keyboard alone: through the list, archive, trash, undo, answer, search, help', async () => {
    for (const name of ['First', 'Second', 'Third'])
      await walk.receive(ADA, rawMail({ subject: `${name} letter` }));
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await row('Third letter').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await toast('Archived').waitFor();
    await soon(() => row('Third letter').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Second letter' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'First letter' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Second letter' }).waitFor();
    await page.keyboard.press('#');
    await toast('Moved to trash').waitFor();
    await page.getByRole('heading', { name: 'First letter' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await row('Second letter').waitFor();
    await page.keyboard.press('r');
    await editor().waitFor();
    await page.keyboard.type('By keys.');
    await page.keyboard.press('Control+Enter');
    await editor().waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await page.keyboard.press('/');
    await page.keyboard.type('from:charles "second letter"');
    await row('Second letter').waitFor();
    await soon(() => row('First letter').count()).toBe(0);
    await page.keyboard.press('Escape');
    await row('First letter').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectNothingFromAxe(page);
    await page.keyboard.press('Escape');
  });

  test('many at once are moved at once, and put back when the server says no', async () => {
    await page.goto(`/mail/${ada.id}/inbox`);
    await row('Second letter').waitFor();
    await page.getByLabel('Select Second letter').click();
    await page.getByLabel('Select First letter').click();
    await page.getByText('2 selected').waitFor();
    await page.route('**/api/v1/mailboxes/*/threads', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 500, body: '' }) : route.fallback(),
    );
    await page.getByRole('toolbar', { name: 'selected' }).getByRole('button', { name: 'Archive' }).click();
    await toast('2 changes failed and were undone').waitFor();
    await row('Second letter').waitFor();
    await page.unroute('**/api/v1/mailboxes/*/threads');
    await page.getByLabel('Select Second letter').click();
    await page.getByLabel('Select First letter').click();
    await page.getByRole('toolbar', { name: 'selected' }).getByRole('button', { name: 'Archive' }).click();
    await toast('2 conversations archived').waitFor();
    await soon(async () => (await inboxOf(ada)).map(({ subject }) => subject)).toEqual(['The engine']);
  });

  test('on a phone each pane stands alone', async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    await row('The engine').click();
    await page.getByRole('heading', { name: 'The engine' }).waitFor();
    await soon(() => page.getByRole('list', { name: 'Conversations in Inbox' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await row('The engine').waitFor();
    await page.getByRole('button', { name: 'Mailboxes and folders' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Compose' }).click();
    await editor().waitFor();
    await expectNothingFromAxe(page);
    await soon(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Save and close' }).click();
  });

  test('in all of this no console complained', () => {
    expect(walk.complaints).toEqual([]);
  });
});

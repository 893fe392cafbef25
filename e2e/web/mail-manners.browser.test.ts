import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe } from './walk.ts';

const ADA = 'ada@harbour.test';
const HTML = 'MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8';
/** Three of these exceed the size that a thread loads in one request. */
const LARGE = `${'words '.repeat(12)}\n`.repeat(40_000);

/** Details of webmail that make reading and writing convenient. */
describe.skipIf(browserPath === null)('the manners of webmail', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let ada: { id: string };

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    ada = await walk.createMailbox('ada', { undo_seconds: 60 });
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
  });
  afterAll(() => walk.close());

  const open = async (subject: string) => {
    await page.getByRole('link', { name: subject }).first().click();
    await page.getByRole('heading', { name: subject }).waitFor();
  };

  test('an image that is held back keeps its proportions and shows its words', async () => {
    const html =
      '<p>Look:</p><img src="https://shop.example/hats.png" width="800" height="200" alt="Hats for all">';
    await walk.receive(ADA, rawMail({ subject: 'Pictures', text: html, more: HTML }));
    await open('Pictures');
    const place = page.frameLocator('iframe').getByText('Hats for all');
    await place.waitFor();
    const proportion = async () => {
      const { width, height } = (await place.boundingBox())!;
      return Math.round(width / height);
    };
    await soon(proportion).toBe(4);
  });

  test('the list shows which conversations have files', async () => {
    const file = 'Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\nx';
    const more = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b';
    await walk.receive(
      ADA,
      rawMail({ subject: 'A file', text: `--b\n\nSee it.\n--b\n${file}\n--b--`, more }),
    );
    await walk.receive(ADA, rawMail({ subject: 'No file' }));
    const clip = page.getByRole('img', { name: 'Has attachments' });
    await page
      .getByRole('link', { name: 'A file' })
      .and(page.getByRole('link').filter({ has: clip }))
      .waitFor();
    const without = page.getByRole('link', { name: 'No file' });
    await without.waitFor();
    expect(await without.filter({ has: clip }).count()).toBe(0);
  });

  test('in the dark theme, HTML without colours is dark, and other HTML keeps its white sheet', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const [subject, text, background] of [
      ['Unstyled', '<p style="margin:0">Only <b>words</b></p>', 'rgba(0, 0, 0, 0)'],
      ['Coloured', '<p style="color:#123456">Blue words</p>', 'rgb(255, 255, 255)'],
    ] as const) {
      await walk.receive(ADA, rawMail({ subject, text, more: HTML }));
      await open(subject);
      await page.frameLocator('iframe').locator('body').filter({ hasText: 'words' }).waitFor();
      const shown = await (await page.locator('iframe').elementHandle()).contentFrame();
      expect([
        subject,
        await page.evaluate(`getComputedStyle(document.querySelector('iframe')).backgroundColor`),
        await shown!.evaluate('getComputedStyle(document.body).backgroundColor'),
      ]).toEqual([subject, background, background]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('sent messages show their recipients', async () => {
    await walk.owner.call('POST', `/mailboxes/${ada.id}/messages`, {
      to: ['Dora Maar <dora@example.org>'],
      subject: 'Portrait',
      text: 'x',
      undo_seconds: 0,
    });
    await page.getByRole('link', { name: 'Sent' }).click();
    const sent = page.getByRole('link', { name: 'Portrait' });
    await sent.waitFor();
    await soon(() => sent.innerText()).toMatch(/^To: Dora Maar\n/);
    await page.getByRole('link', { name: /^Inbox/ }).click();
  });

  test('words in a wide table stay whole', async () => {
    const cells = '<td><h1>Newsletter</h1></td><td><img src="https://x.example/a.png" width="900"></td>';
    const html = `<table width="1400"><tr>${cells}</tr></table>`;
    await walk.receive(ADA, rawMail({ subject: 'Table', text: html, more: HTML }));
    await open('Table');
    const word = page.frameLocator('iframe').getByText('Newsletter');
    await word.waitFor();
    await soon(async () => (await word.boundingBox())!.height).toBeLessThan(80);
  });

  test('right-to-left text is displayed from right to left', async () => {
    const more =
      'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit';
    await walk.receive(ADA, rawMail({ subject: 'Shalom', text: 'שלום לך, מה שלומך?', more }));
    await open('Shalom');
    await page.getByRole('article').locator('p:dir(rtl)', { hasText: 'שלום לך' }).waitFor();
  });

  test('mail without a text says so; a subject without end leaves room for the mail', async () => {
    await walk.receive(
      ADA,
      rawMail({ subject: `Endless ${'and on '.repeat(400)}`, text: '<p> </p>', more: HTML }),
    );
    await page.getByRole('link', { name: 'Endless' }).click();
    await page.getByText('This message has no content.').waitFor();
    const heading = page.getByRole('heading', { name: 'Endless' });
    await soon(async () => (await heading.boundingBox())!.height).toBeLessThan(80);
    await page.getByRole('button', { name: 'Show full subject' }).click();
    await soon(async () => (await heading.boundingBox())!.height).toBeGreaterThan(80);
  });

  test('a long conversation that was read opens at its newest message, with the focus in it', async () => {
    const first = rawMail({ subject: 'Long' });
    const id = /^Message-ID: (.*)$/im.exec(first)![1]!;
    await walk.receive(ADA, first);
    for (let n = 1; n < 30; n += 1)
      await walk.receive(
        ADA,
        rawMail({ subject: 'Re: Long', text: `Answer ${n}.`, more: `In-Reply-To: ${id}` }),
      );
    const row = page.getByRole('link', { name: /Long.*Answer 29/ });
    await row.click();
    await page.getByText('Answer 29.').last().waitFor();
    await soon(() => row.innerText()).not.toMatch(/^Unread/);
    await page.keyboard.press('u');
    await page.getByText('No conversation selected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Conversation' }).waitFor();
    await soon(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Conversation');
    await soon(() => page.getByRole('article', { name: 'Message from' }).last().isVisible()).toBe(true);
    const newest = page.getByText('Answer 29.').last();
    await soon(async () => (await newest.boundingBox())!.y).toBeLessThan(800);
  });

  test('text typed right before a reload is kept, with the cursor at its end', async () => {
    await open('Pictures');
    await page.keyboard.press('r');
    await editorOf(page).waitFor();
    await soon(() => page.evaluate('document.activeElement.isContentEditable')).toBe(true);
    await page.keyboard.type('Lovely hats');
    await page.reload();
    await page.getByRole('button', { name: 'Continue writing' }).click();
    await editorOf(page).getByText('Lovely hats').waitFor();
    await page.getByRole('link', { name: /Draft.*Look:/ }).waitFor();
    await soon(() => page.getByRole('link', { name: /Draft/ }).count()).toBe(2);
    await soon(() => page.evaluate('document.activeElement.isContentEditable')).toBe(true);
    await page.keyboard.type(', all of them.');
    await editorOf(page).getByText('Lovely hats, all of them.').waitFor();
  });

  test('sending without a subject asks once, and the message shows that a reply cancels it', async () => {
    await page.getByLabel('Subject').fill('');
    await page.getByRole('button', { name: 'Send later' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Cancel if they reply first' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send later' }).click();
    await page.getByRole('menuitem', { name: 'Tomorrow morning' }).click();
    const question = page.getByRole('dialog', { name: 'Send without a subject?' });
    await question.waitFor();
    await expectNothingFromAxe(page);
    await question.getByRole('button', { name: 'Send without subject' }).click();
    await page.getByText('cancelled if they reply first').waitFor();
  });

  test('a day that is still being typed is not found wrong', async () => {
    await page.goto(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Pictures' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('q') ?? ''));
    const field = page.getByRole('combobox', { name: 'Search mail' });
    await field.fill('before:20');
    await field.press('End');
    await field.pressSequentially('20-01-01', { delay: 350 });
    await page.getByText('No results').waitFor();
    expect(asked.filter((q) => q.startsWith('before:'))).toEqual(['before:2020-01-01']);
  });

  test('a note about a move goes when the conversation moves on', async () => {
    await page.goto(`/mail/${ada.id}/inbox`);
    await open('Pictures');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    await open('Pictures');
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('Moved to trash').waitFor();
    await soon(() => page.getByText('Archived', { exact: true }).count()).toBe(0);
  });

  test('on a phone the boxes that select are there to be touched', async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    await page.goto(`/mail/${ada.id}/inbox`);
    const box = page.getByRole('checkbox').first();
    await box.waitFor();
    const opacity = `getComputedStyle(document.querySelector('input[type=checkbox]')).opacity`;
    await soon(() => page.evaluate(opacity)).toBe('1');
    await soon(async () => (await box.boundingBox())!.width).toBeGreaterThanOrEqual(24);
    await walk.receive(ADA, rawMail({ subject: 'Unread one' }));
    await page.getByRole('link', { name: 'Unread one' }).waitFor();
    await expectNothingFromAxe(page);
  });

  test('older bodies of a very large conversation come when they are opened', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const first = rawMail({ subject: 'Huge', text: 'The first of them.' });
    const id = /^Message-ID: (.*)$/im.exec(first)![1]!;
    await walk.receive(ADA, first);
    for (let n = 1; n < 5; n += 1)
      await walk.receive(ADA, rawMail({ subject: 'Re: Huge', text: LARGE, more: `In-Reply-To: ${id}` }));
    await page.goto(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Huge' }).click();
    await page.getByRole('heading', { name: 'Huge' }).waitFor();
    const cards = page.getByRole('article', { name: /^Message from/ });
    await soon(() => cards.count()).toBe(5);
    await cards.first().getByRole('button').first().click();
    await cards.first().getByText('The first of them.').waitFor();
  });

  test('an automatic reply is set for some days, on a phone ended again', async () => {
    const reply = async () => (await walk.owner.call('GET', `/mailboxes/${ada.id}/automatic-reply`)).body;
    const dialog = page.getByRole('dialog', { name: 'Automatic reply' });
    const openDialog = async () => {
      await page.getByRole('button', { name: /^Mailbox/ }).click();
      await page.getByRole('menuitem', { name: 'Automatic reply' }).click();
      await dialog.getByRole('switch').waitFor();
    };
    await page.goto(`/mail/${ada.id}/inbox`);
    await openDialog();
    await dialog.getByRole('switch', { name: 'Send automatic replies' }).click();
    await dialog.getByLabel('First day').fill('2035-12-20');
    await dialog.getByLabel('Last day').fill('2035-12-18');
    await dialog.getByLabel('Message').fill('Back in January.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Must be later than the start.').waitFor();
    await expectNothingFromAxe(page);
    await dialog.getByLabel('Last day').fill('2036-01-06');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Automatic reply saved').waitFor();
    const { from, until, ...rest } = await reply();
    expect(rest).toEqual({ enabled: true, subject: null, text: 'Back in January.', html: null });
    // The last day is included as a whole.
    expect(Date.parse(until) - Date.parse(from)).toBe(18 * 86_400_000);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Mailboxes and folders' }).click();
    await openDialog();
    await soon(() => dialog.getByLabel('Last day').inputValue()).toBe('6 Jan 2036');
    await expectNothingFromAxe(page);
    await dialog.getByRole('switch', { name: 'Send automatic replies' }).click();
    await dialog.getByLabel('First day').fill('');
    await dialog.getByLabel('Last day').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await reply()).toMatchObject({ enabled: false, from: null, until: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('in all of this no console complained', () => {
    expect(walk.complaints).toEqual([]);
  });
});

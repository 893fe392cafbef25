import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE_HTML } from '../../src/testing/hostile-html.ts';
import { startMailWalk, type MailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

const FOLDER = 'e2e/hostile-mail';
const ADA = 'ada@harbour.test';

function htmlMail(subject: string, html: string): string {
  const lines = html.match(/.{1,900}/gs) ?? [];
  return (
    `From: Mallory <mallory@evil.test>\nTo: ${ADA}\nSubject: ${subject}\nMessage-ID: <${subject.length}.${html.length}@evil.test>\n` +
    `MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n${lines.join('\n')}`
  );
}

/** Returns five megabytes of nested tables. */
function nestedTables(): string {
  const table = '<table><tr><td>';
  return `<p>Deep.</p>${table.repeat(Math.ceil(5_000_000 / table.length))}`;
}

describe.skipIf(browserPath === null)('hostile mail', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let subjects: string[];
  const fetched: string[] = [];
  const happened: string[] = [];

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    const box = await walk.createMailbox('ada');
    const mails = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
    mails.push(htmlMail('Hostile: tables', nestedTables()));
    mails.push(htmlMail('Hostile: everything', HOSTILE_HTML.map((html) => `<div>${html}</div>`).join('\n')));
    for (const mail of mails) await walk.receive(ADA, mail);
    const { body } = await walk.owner.call('GET', `/mailboxes/${box.id}/threads`);
    subjects = body.items.map(({ subject }: { subject: string }) => subject);
    expect(subjects).toHaveLength(mails.length);

    page = await walk.visitMail('/sign-in');
    const context = page.context();
    await context.exposeFunction('ran', () => happened.push('ran'));
    page.on('dialog', (dialog) => {
      happened.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('page', () => happened.push('window'));
    await context.route('**', (route) => {
      const url = new URL(route.request().url());
      if (url.origin === walk.server.url) return route.fallback();
      fetched.push(url.href);
      return route.abort();
    });
    await page.goto(`/mail/${box.id}/inbox`);
  });
  afterAll(() => walk.close());

  test('each one is opened after the other; nothing runs, and nothing is fetched', async () => {
    await page.getByRole('list', { name: 'Conversations in Inbox' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    for (const subject of subjects) {
      await page.getByRole('heading', { name: subject, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Reply', exact: true }).first().waitFor();
      await expectHarmless(page);
      await page.keyboard.press('j');
    }
    expect({ happened, fetched }).toEqual({ happened: [], fetched: [] });
    expect(new URL(page.url()).pathname).toMatch(/^\/mail\//);
  });

  test('when images are asked for, only images are fetched', async () => {
    await page.getByRole('link', { name: 'Hostile: pixels' }).click();
    await page.getByRole('heading', { name: 'Hostile: pixels' }).waitFor();
    await page.getByRole('button', { name: 'Show remote images' }).click();
    await expect.poll(() => fetched.length).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Hostile: style' }).click();
    await page.getByRole('heading', { name: 'Hostile: style' }).waitFor();
    expect(fetched.filter((url) => !/\.gif/.test(url))).toEqual([]);
    expect(happened).toEqual([]);
  });

  test('quoted hostile mail in a reply runs and fetches nothing either', async () => {
    await page.getByRole('link', { name: 'Hostile: scripts' }).click();
    await page.getByRole('heading', { name: 'Hostile: scripts' }).waitFor();
    fetched.length = 0;
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show quoted text' }).click();
    await page.frameLocator('iframe[title="Show quoted text"]').getByText('Scripts of many kinds').waitFor();
    await expectHarmless(page);
    expect({ happened, fetched }).toEqual({ happened: [], fetched: [] });
  });
});

/** Checks that nothing in the frames of the page ran, fetched or submitted anything. */
async function expectHarmless(page: Page): Promise<void> {
  const found = await page.evaluate(`
    [...document.querySelectorAll('iframe')].flatMap((frame) => {
      const wrong = frame.sandbox.contains('allow-scripts') || frame.sandbox.contains('allow-forms') ? ['sandbox'] : [];
      for (const element of frame.contentDocument.querySelectorAll('*')) {
        if (/^(script|iframe|object|embed|form|input|button|base|link|svg|math|template)$/i.test(element.tagName))
          wrong.push(element.outerHTML.slice(0, 100));
        for (const { name, value } of element.attributes)
          if (/^on/i.test(name) || /^\\s*(javascript|vbscript|data:text)/i.test(value)) wrong.push(name + '=' + value);
        if (element.tagName === 'A' && element.hasAttribute('href')
          && !(element.target === '_blank' && element.rel === 'noopener noreferrer' && /^(https?|mailto|tel):/.test(element.href)))
          wrong.push(element.outerHTML.slice(0, 100));
      }
      return wrong;
    })`);
  expect(found).toEqual([]);
}

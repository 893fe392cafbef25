import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { PASSWORD } from '../../src/testing/people.ts';
import { editorOf, type MailWalk, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe } from './walk.ts';

const ADA = 'ada@harbour.test';
const LETTERS = 9;
const EDITOR_SCRIPTS = /\/assets\/(?:composer|compose-dock)-/;

/** Webmail without a session, with a slow connection, or offline. Nothing that was written may be lost. */
describe.skipIf(browserPath === null)('webmail in trouble', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let ada: { id: string };

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    ada = await walk.createMailbox('ada');
    for (let n = 1; n <= LETTERS; n += 1) await walk.receive(ADA, rawMail({ subject: `Letter ${n}` }));
  });
  afterAll(() => walk.close());

  const inInbox = async () =>
    (await walk.owner.call('GET', `/mailboxes/${ada.id}/threads?folder=inbox`)).body.items.length as number;

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email address').fill(walk.owner.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
  }

  /** Signs in through the link in another tab and returns to the first tab. */
  async function signInElsewhere(page: Page): Promise<void> {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the sign-in page' }).first().click(),
    ]);
    await signIn(tab);
    await tab.getByRole('heading', { name: 'Overview' }).waitFor();
    await tab.close();
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
  }

  test('people who are not signed in get the sign-in page and then the conversation', async () => {
    const page = await walk.visit('/mail');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).search).toBe('?next=%2Fmail');
    await page.goto(`/mail/${ada.id}/inbox?q=letter`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page);
    await page.getByRole('link', { name: 'Letter 1' }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/mail/${ada.id}/inbox`);
  });

  test('keys typed while the composer is loading do nothing', async () => {
    const page = await walk.visitMail('/sign-in');
    let letThrough!: () => void;
    const typed = new Promise<void>((resolve) => (letThrough = resolve));
    await page.route(EDITOR_SCRIPTS, async (route) => {
      await typed;
      await route.fallback();
    });
    await page.goto(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Letter 1' }).click();
    await page.getByRole('heading', { name: 'Letter 1' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Dear reader, here we are #!');
    letThrough();
    await editorOf(page).waitFor();
    await page.keyboard.type('Now it counts.');
    await editorOf(page).getByText('Now it counts.').waitFor();
    await expect.poll(inInbox).toBe(LETTERS);
    await page.context().close();
  });

  test('a composer that cannot be loaded says so in its place, and is there after another try', async () => {
    const page = await walk.visitMail('/sign-in');
    await page.route(EDITOR_SCRIPTS, (route) => route.abort());
    await page.goto(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Letter 2' }).click();
    await page.getByRole('heading', { name: 'Letter 2' }).waitFor();
    await page.keyboard.press('r');
    await page.getByText('The editor could not be loaded').waitFor();
    await page.getByRole('link', { name: 'Letter 3' }).click();
    await page.getByRole('heading', { name: 'Letter 3' }).waitFor();
    await page.getByRole('link', { name: 'Letter 2' }).click();
    await page.getByText('The editor could not be loaded').waitFor();
    await page.unroute(EDITOR_SCRIPTS);
    await page.getByRole('button', { name: 'Try again' }).click();
    await editorOf(page).waitFor();
    await page.context().close();
  });

  test('a session that ends while somebody writes: they are told, sign in elsewhere, and go on', async () => {
    const page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: 'Letter 4' }).click();
    await page.getByRole('heading', { name: 'Letter 4' }).waitFor();
    await page.keyboard.press('r');
    await editorOf(page).waitFor();
    await page.keyboard.type('Begun before,');
    await page.getByText('Draft saved').waitFor();
    await page.context().clearCookies();
    // The page notices the lost session while the user types. A dialog must not take over the keyboard.
    const refused = page.waitForResponse((answer) => answer.status() === 401);
    await walk.receive(ADA, rawMail({ subject: 'Meanwhile' }));
    await refused;
    await page.keyboard.type(' ended after.', { delay: 50 });
    const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
    await dialog.waitFor();
    await expectNothingFromAxe(page);
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('kept in this browser and will be saved after you sign in').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Your session has expired. Sign in and try again.').waitFor();
    await expect.poll(() => page.getByText('API key').count()).toBe(0);
    await signInElsewhere(page);
    await page.getByText('Draft saved').waitFor();
    await editorOf(page).getByText('Begun before, ended after.').waitFor();
    const { items } = (await walk.owner.call('GET', `/mailboxes/${ada.id}/drafts`)).body;
    expect(items.map(({ html }: { html: string }) => html).join(' ')).toContain('Begun before, ended after.');
    await page.context().close();
  });

  test('the content of a form on other pages is kept across a sign-in', async () => {
    const page = await walk.visitMail('/suppressions');
    await page.getByRole('button', { name: 'Suppress address' }).first().click();
    const form = page.getByRole('dialog', { name: 'Suppress address' });
    await form.getByLabel('Email address').fill('nobody@example.org');
    await page.context().clearCookies();
    await form.getByRole('button', { name: 'Suppress', exact: true }).click();
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
    await signInElsewhere(page);
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor({ state: 'detached' });
    await expect.poll(() => form.getByLabel('Email address').inputValue()).toBe('nobody@example.org');
    await form.getByRole('button', { name: 'Suppress', exact: true }).click();
    await page.getByRole('cell', { name: 'nobody@example.org' }).waitFor();
    await page.context().close();
  });

  test('a server that is away for a moment takes nothing off the screen', async () => {
    const page = await walk.visitMail('/domains');
    await page.clock.install();
    for (const [path, shown] of [
      ['/domains', 'harbour.test'],
      [`/mail/${ada.id}/inbox`, 'Letter 1'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('link', { name: shown }).first().waitFor();
      const tries = new Map<string, number>();
      await page.route('**/api/v1/**', (route) => {
        const { pathname } = new URL(route.request().url());
        tries.set(pathname, (tries.get(pathname) ?? 0) + 1);
        return route.fulfill({ status: 502, body: '' });
      });
      // The user comes back after a while.
      await page.clock.fastForward('02:00');
      await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
      const asked = path === '/domains' ? '/api/v1/domains' : '/api/v1/mailboxes';
      const giveUp = async () => {
        await page.clock.runFor(1_000);
        return tries.get(asked) ?? 0;
      };
      await expect.poll(giveUp).toBeGreaterThanOrEqual(3);
      await page.clock.runFor(1_000);
      await expect.poll(() => page.getByRole('link', { name: shown }).first().isVisible()).toBe(true);
      await page.unrouteAll();
    }
    await page.context().close();
  });

  test('in all of this no console complained', () => {
    expect(walk.complaints).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { letter } from '../../src/testing/mail-world.ts';
import { PASSWORD } from '../../src/testing/people.ts';
import { startMailWalk, type MailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

const ADA = 'ada@harbour.test';
const LETTERS = 9;

/** What can go wrong around webmail: no session, a slow line, none at all. Nothing that was written is lost by it. */
describe.skipIf(browserPath === null)('webmail in trouble', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let ada: { id: string };

  beforeAll(async () => {
    walk = await startMailWalk();
    const { body: domain } = await walk.owner.call('POST', '/domains', { name: 'harbour.test' });
    await walk.owner.call('PUT', `/domains/${domain.id}/verify`);
    ada = await walk.createMailbox('ada');
    for (let n = 1; n <= LETTERS; n += 1) await walk.receive(ADA, letter({ subject: `Letter ${n}` }));
  });
  afterAll(() => walk.close());

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email address').fill(walk.owner.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
  }

  test('who is not signed in is sent to the sign-in page, and back to the conversation', async () => {
    const page = await walk.visit('/mail');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).search).toBe('?next=%2Fmail');
    await page.goto(`/mail/${ada.id}/inbox?q=letter`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page);
    await page.getByRole('link', { name: 'Letter 1' }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/mail/${ada.id}/inbox`);
  });

  test('in all of this no console complained', () => {
    expect(walk.complaints).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe } from './walk.ts';

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('folders, stars and labels', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let ada: { id: string };

  const row = (subject: string) => page.getByRole('link', { name: subject });
  const thread = async () => (await walk.owner.call('GET', `/mailboxes/${ada.id}/threads`)).body.items[0];

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    ada = await walk.createMailbox('ada');
    await walk.receive('ada@harbour.test', rawMail({ subject: 'An offer' }));
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
  });
  afterAll(() => walk.close());

  test('a folder is created, and a conversation is moved to it', async () => {
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name').fill('Clients/Acme');
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await page.getByRole('link', { name: /^Inbox/ }).click();
    await row('An offer').click();
    await page.getByRole('button', { name: 'Move to folder' }).click();
    await page.getByRole('menuitem', { name: 'Clients/Acme' }).click();
    await page.getByText('Moved to Clients/Acme').waitFor();
    await page.getByRole('link', { name: /^Acme/ }).click();
    await row('An offer').waitFor();
    await expectNothingFromAxe(page);
  });

  test('a star is set with a key, shown in the list, and seen when another client removes it', async () => {
    await row('An offer').click();
    await page.getByRole('button', { name: 'Star' }).first().waitFor();
    await page.keyboard.press('s');
    await soon(async () => (await thread()).starred).toBe(true);
    await page.getByRole('link', { name: 'Starred', exact: true }).click();
    await row('Starred').and(row('An offer')).waitFor();
    await walk.owner.call('PATCH', `/threads/${(await thread()).id}`, { starred: false });
    await page.getByText('Nothing starred').waitFor();
  });

  test('labels are edited and shown', async () => {
    await page.getByRole('link', { name: /^Acme/ }).click();
    await row('An offer').click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit labels' }).click();
    await page.getByRole('textbox', { name: 'Labels', exact: true }).fill('invoices blue');
    await page.getByRole('button', { name: 'Save labels' }).click();
    await page.getByRole('list', { name: 'Labels' }).getByText('invoices').waitFor();
    await expectNothingFromAxe(page);
  });

  test('a deleted folder leaves its messages in the trash', async () => {
    await page.getByRole('link', { name: /^Acme/ }).click();
    await page.getByRole('button', { name: 'Actions for the folder Clients/Acme' }).click();
    await page.getByRole('menuitem', { name: 'Delete folder' }).click();
    await page.getByRole('button', { name: 'Delete folder' }).click();
    await page.getByRole('link', { name: /^Trash/ }).click();
    await row('An offer').waitFor();
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { addPerson, type TestPerson } from '../../src/testing/people.ts';
import { editorOf, type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

/** Two people work in one mailbox at the same time. */
describe.skipIf(browserPath === null)('two people in one mailbox', { timeout: 120_000 }, () => {
  let walk: MailWalk;
  let bob: TestPerson;
  let mine: Page;
  let his: Page;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    bob = await addPerson(walk.server, walk.owner, 'member');
    const { id, address } = await walk.createMailbox('desk', { undo_seconds: 0 });
    await walk.receive(address, rawMail({ subject: 'Broken lamp', id: '<lamp.1@example.net>' }));
    mine = await walk.visitMail(`/mail/${id}/inbox`);
    his = await walk.visit();
    const [name, value] = bob.cookie.split('=') as [string, string];
    await his.context().addCookies([{ name, value, url: walk.server.url }]);
    await his.goto(`/mail/${id}/inbox`);
    for (const page of [mine, his]) {
      await page.getByRole('link', { name: /Broken lamp/ }).click();
      await page.getByRole('heading', { name: 'Broken lamp' }).waitFor();
    }
  });
  afterAll(() => walk.close());

  test('each sees the other, and who takes the conversation is shown to both', async () => {
    await his.getByText('Owner is looking at this').waitFor();
    await mine.getByRole('button', { name: 'Assign' }).click();
    await mine.getByRole('dialog').getByRole('button', { name: 'A member' }).click();
    await mine.getByRole('button', { name: 'Assigned to A member' }).waitFor();
    await his.getByRole('button', { name: 'Assigned to Me' }).waitFor();
    await his.getByRole('link', { name: 'Assigned to me' }).click();
    await his.getByRole('heading', { name: 'Assigned to me' }).waitFor();
    await his.getByRole('link', { name: /Broken lamp/ }).click();
    await his.getByRole('heading', { name: 'Broken lamp' }).waitFor();
  });

  test('a note reaches the other, and looks unlike a message', async () => {
    await mine.getByRole('button', { name: 'Write note' }).click();
    await mine.getByRole('textbox', { name: /Note for your team/ }).fill('Give him a discount, @A member');
    await mine.getByRole('button', { name: 'Save note' }).click();
    await his.getByRole('region', { name: 'Note of Owner' }).getByText('Give him a discount').waitFor();
  });

  test("the other's draft has a name, and is taken over before anything is typed into it", async () => {
    await his.keyboard.press('r');
    await editorOf(his).waitFor();
    await his.keyboard.type('Words of the member');
    await mine.getByText('A member is writing this draft').waitFor();
    await soon(() => mine.getByRole('button', { name: 'Continue writing' }).count()).toBe(0);
    await mine.getByRole('button', { name: 'Take over' }).click();
    await editorOf(mine).waitFor();
    await soon(() => editorOf(mine).innerText()).toContain('Words of the member');
    await his.keyboard.type(', and more');
    await his.getByText(/has taken over this draft/).waitFor();
    await soon(() => editorOf(his).innerText()).toContain('Words of the member, and more');
  });

  test('who answers second is asked before it is sent', async () => {
    await editorOf(mine).click();
    await mine.keyboard.press('Control+Enter');
    await soon(() => editorOf(mine).count()).toBe(0);
    await editorOf(his).click();
    await his.keyboard.press('Control+Enter');
    await his.getByRole('dialog', { name: /There is a new message/ }).waitFor();
    await his.getByRole('button', { name: 'Read it first' }).click();
    await his.getByText('Sent by Owner').first().waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

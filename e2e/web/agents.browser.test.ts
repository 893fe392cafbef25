import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, type Call } from '../../src/testing/test-server.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, chooseOption, expectNothingFromAxe, goWithin } from './walk.ts';

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('keys of agents and the record', { timeout: 120_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let support: { id: string; address: string };
  let sales: { id: string; address: string };
  let agent: Call;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    support = await walk.createMailbox('support', { undo_seconds: 0 });
    sales = await walk.createMailbox('sales', { undo_seconds: 0 });
  });
  afterAll(() => walk.close());

  const dialog = (name: string) => page.getByRole('dialog', { name });

  test('a key for an agent is made with a policy, and says in words what it can do', async () => {
    page = await walk.visitMail('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = dialog('Create API key');
    await form.getByLabel('Name').fill('Support assistant');
    await chooseOption(form.getByLabel('For', { exact: true }), 'Agent');
    await form.getByRole('status').getByText('it needs a send policy').waitFor();
    await form.getByRole('button', { name: 'Create a policy' }).click();
    const policy = dialog('Create send policy');
    await policy.getByLabel('Name').fill('Asks first');
    await chooseOption(policy.getByLabel('Sending', { exact: true }), 'A person approves every email');
    await policy.getByLabel('Never to these addresses and domains').fill('evil.test');
    await policy.getByText('It never writes to evil.test.').waitFor();
    await expectNothingFromAxe(page);
    await policy.getByRole('button', { name: 'Create send policy' }).click();
    await policy.waitFor({ state: 'detached' });
    const mailboxes = form.getByRole('group', { name: 'Only these mailboxes' });
    await mailboxes.getByLabel(support.address).check();
    const words = form.getByRole('status');
    await soon(() => words.textContent()).toContain(
      `in ${support.address}; nothing leaves without approval.`,
    );
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await soon(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByRole('button', { name: 'Create API key' }).click();
    const made = dialog('Your new API key');
    const key = /ph_[0-9a-z]{8}_[0-9a-z]+/.exec((await made.textContent())!)![0];
    agent = createCall(walk.server.url, key);
    expect((await agent('GET', `/mailboxes/${support.id}`)).status).toBe(200);
    expect((await agent('GET', `/mailboxes/${sales.id}`)).status).toBe(404);
    await made.getByRole('button', { name: 'Done' }).click();
  });

  test('the mailboxes of a key are changed', async () => {
    await page.getByRole('button', { name: 'Actions for Support assistant' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = dialog('Edit API key');
    const mailboxes = form.getByRole('group', { name: 'Only these mailboxes' });
    await mailboxes.getByLabel(support.address).uncheck();
    await mailboxes.getByLabel(sales.address).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('API key saved').waitFor();
    await soon(async () => (await agent('GET', `/mailboxes/${sales.id}`)).status).toBe(200);
    expect((await agent('GET', `/mailboxes/${support.id}`)).status).toBe(404);
  });

  test('the policies say who uses them, and one in use is not deleted', async () => {
    await goWithin(page, '/policies');
    await page.getByText('Used by Support assistant.').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('would have no policy any more').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('the request log shows what failed, with its body and without content', async () => {
    const message = { to: ['nobody'], subject: 'Inner thoughts', text: 'Nobody reads this.' };
    expect((await agent('POST', `/mailboxes/${sales.id}/messages`, message)).status).toBe(400);
    await goWithin(page, '/logs?status=4xx');
    await page
      .getByRole('button', { name: `POST /api/v1/mailboxes/${sales.id}/messages` })
      .first()
      .click();
    const shown = page.getByRole('dialog', { name: 'Request' });
    await shown.getByText('Support assistant').waitFor();
    await shown.getByText('BAD_REQUEST').waitFor();
    expect(await shown.textContent()).not.toContain('Nobody reads this.');
    await expectNothingFromAxe(page);
    await shown.getByRole('button', { name: 'Close' }).last().click();
  });

  test('the audit log is filtered, and an entry says what was changed', async () => {
    await goWithin(page, '/audit');
    await chooseOption(page.getByLabel('What', { exact: true }), 'API keys');
    await page.getByRole('button', { name: 'API key updated' }).click();
    const entry = dialog('API key updated');
    await entry.getByText(sales.id).first().waitFor();
    expect(await entry.textContent()).not.toMatch(/ph_[0-9a-z]{8}_/);
    await expectNothingFromAxe(page);
    await entry.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Send policy created' }).waitFor({ state: 'detached' });
  });

  test('nothing was wrong in the console', () => {
    expect(walk.complaints).toEqual([]);
  });
});

import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { createCall, type Call } from '../../src/testing/test-server.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe, goWithin } from './walk.ts';

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('approvals', { timeout: 120_000 }, () => {
  let walk: MailWalk;
  let agent: Call;
  let box: { id: string; address: string };
  let threadId: string;
  let page: Page;

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    box = await walk.createMailbox('support', { undo_seconds: 0 });
    const { body: policy } = await walk.owner.call('POST', '/send-policies', {
      name: 'Ask first',
      mode: 'approve_all',
    });
    const { body: key } = await walk.owner.call('POST', '/api-keys', {
      name: 'Support assistant',
      permission: 'full',
      kind: 'agent',
      policyId: policy.id,
    });
    agent = createCall(walk.server.url, key.key);
    await walk.receive(
      box.address,
      rawMail({ from: 'grace@example.org', subject: 'Broken lamp', text: 'Can you send a new lamp?' }),
    );
    const { body } = await agent('GET', `/mailboxes/${box.id}/threads`);
    threadId = body.items[0].id;
  });
  afterAll(() => walk.close());

  async function reply(html: string): Promise<string> {
    const { body } = await agent('POST', `/mailboxes/${box.id}/messages`, {
      to: ['grace@example.org'],
      thread_id: threadId,
      html: `${html}<blockquote>Can you send a new lamp?</blockquote>`,
    });
    return body.approval_id;
  }
  const stateOf = async (id: string) => (await walk.owner.call('GET', `/approvals/${id}`)).body.state;

  test('an email that waits appears in webmail by itself, with what is new, and leaves when it is approved', async () => {
    page = await walk.visitMail(`/mail/${box.id}/approvals`);
    await page.getByText('Nothing waits for approval').waitFor();
    const id = await reply('<p>A new lamp is on its way.</p>');
    await page.getByRole('link', { name: /Re: Broken lamp/ }).click();
    await page.getByText('Support assistant asks for approval').waitFor();
    await page.getByText('A person approves every email of this key.').waitFor();
    await page.getByText('What is new in this reply').waitFor();
    await page.getByText('grace@example.org', { exact: true }).waitFor();
    await page.frameLocator('iframe').getByText('A new lamp is on its way.').waitFor();
    await page.getByText('What it had read').waitFor();
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNothingFromAxe(page);
    await soon(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Approved. The email is on its way.').waitFor();
    await page.getByText('Nothing waits for approval').waitFor();
    expect(await stateOf(id)).toBe('approved');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the dialogs of webmail open beside the approvals as well', async () => {
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByRole('dialog', { name: 'Saved replies' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('owners see the count, and reject with a reason that the agent reads', async () => {
    const id = await reply('<p>No.</p>');
    await page.goto('/approvals');
    await page
      .getByRole('link', { name: /Approvals/ })
      .getByLabel('1 waits')
      .waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('link', { name: 'Re: Broken lamp' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject this email?' });
    await dialog.getByLabel('Reason').fill('Please be kinder.');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Nothing waits for approval').waitFor();
    expect((await agent('GET', `/approvals/${id}`)).body).toMatchObject({
      state: 'rejected',
      reason: 'Please be kinder.',
    });
  });

  test('an email that has changed is not sent, and must be looked at again', async () => {
    const id = await reply('<p>Tomorrow.</p>');
    await page.getByRole('link', { name: 'Re: Broken lamp' }).click();
    await page.getByRole('button', { name: 'Approve and send' }).waitFor();
    await sql`update approvals set hash = sha256('other') where state = 'pending'`.execute(walk.server.db);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('This email has changed since you opened it.').waitFor();
    expect(await stateOf(id)).toBe('pending');
    await agent('POST', `/emails/${(await walk.owner.call('GET', `/approvals/${id}`)).body.emailId}/cancel`);
  });

  test('several emails of one conversation are decided together', async () => {
    const ids = [await reply('<p>First.</p>'), await reply('<p>Second.</p>'), await reply('<p>Third.</p>')];
    await page.goto(`/mail/${box.id}/approvals/${ids[0]}`);
    await page.getByText('2 more emails wait in this conversation.').waitFor();
    await page.getByRole('button', { name: 'Decide together' }).click();
    const dialog = page.getByRole('dialog', { name: 'Emails that wait in this conversation' });
    for (const text of ['First.', 'Second.']) await dialog.getByText(text).click();
    await dialog.getByRole('button', { name: 'Reject 2 emails' }).click();
    await page.getByText('2 emails rejected').waitFor();
    expect(await Promise.all(ids.map(stateOf))).toEqual(['rejected', 'rejected', 'pending']);
    await goWithin(page, '/approvals');
    await page.getByRole('link', { name: 'Re: Broken lamp' }).waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

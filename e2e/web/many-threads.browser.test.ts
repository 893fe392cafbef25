import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/database.ts';
import { decodeId, encodeId } from '../../src/platform/ids.ts';
import { rawMail } from '../../src/testing/mail-world.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath, expectNothingFromAxe } from './walk.ts';

const THREADS = 3_000;
/** The visible rows, and a few above and below. */
const MOST_ROWS = 60;
const ADA = 'ada@harbour.test';

async function fillThreads(db: Db, mailboxId: string): Promise<void> {
  await sql`
    with thread as (
      insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
        snippet, message_count, unread_count, last_message_at)
      select team_id, make_uuid(), id, 'inbox', 'Thread number ' || n, '', '{charles@example.org}',
        '{charles@example.org}', 'It turns', 1, 1, now() - n * interval '1 minute'
      from mailboxes, generate_series(1, ${THREADS}) as n where id = ${decodeId('mbx', mailboxId)}
      returning team_id, id, mailbox_id, subject, last_message_at
    )
    insert into messages (team_id, id, mailbox_id, thread_id, direction, reference_ids, sender, to_addresses,
      cc_addresses, bcc_addresses, reply_to, subject, text, read, attachment_count, created_at, folder, uid,
      snippet)
    select team_id, make_uuid(), mailbox_id, id, 'in', '{}', 'charles@example.org', '{}', '{}', '{}', '{}', subject,
      'It turns', false, 0, last_message_at, 'inbox', row_number() over (), 'It turns' from thread
  `.execute(db);
  await sql`update folders set next_uid = ${THREADS + 1} where id = 'inbox'`.execute(db);
}

/** Scrolls through a mailbox with many threads, like someone who looks for old mail. */
describe.skipIf(browserPath === null)('a mailbox with many threads', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  let ada: { id: string };
  let asked: string[] = [];

  const row = (n: number) => page.getByRole('link', { name: new RegExp(`Thread number ${n} `) });
  const items = () => page.getByRole('list', { name: 'Conversations in Inbox' }).getByRole('listitem');
  const rows = () => items().count();
  const lists = () => asked.filter((url) => url.startsWith('GET') && /\/threads\?/.test(url)).length;
  const scrollTo = (n: number) =>
    page.evaluate(
      `document.querySelector('ul[aria-label^="Conversations"]').parentElement.scrollTop = ${n * 78}`,
    );
  const inbox = async () =>
    (await walk.owner.call('GET', `/mailboxes/${ada.id}/folders`)).body.items.find(
      ({ folder }: { folder: string }) => folder === 'inbox',
    ) as { total: number; unread: number };

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    ada = await walk.createMailbox('ada');
    await fillThreads(walk.server.db, ada.id);
  });
  afterAll(() => walk.close());

  test('has its whole length at once; its end and its start are one request away', async () => {
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await row(1).waitFor();
    await soon(() => items().first().getAttribute('aria-setsize')).toBe(String(THREADS));
    asked = [];
    await page.keyboard.press('End');
    await row(THREADS).waitFor();
    await soon(rows).toBeLessThan(MOST_ROWS);
    await page.keyboard.press('Home');
    await row(1).waitFor();
    expect(lists()).toBeLessThanOrEqual(3);
  });

  test('can be scrolled with few rows in the page and few requests, and visible threads are loaded', async () => {
    asked = [];
    let most = 0;
    for (let step = 0; step < 40; step += 1) {
      await scrollTo(((step * 17) % 40) * 70);
      most = Math.max(most, await rows());
    }
    await scrollTo(1_499);
    await row(1_500).waitFor();
    await soon(() => page.locator('li[aria-busy]').count()).toBe(0);
    expect(most).toBeLessThan(MOST_ROWS);
    // No page is fetched twice, however often it is scrolled past.
    expect(lists()).toBeLessThanOrEqual(THREADS / 50);
    expect(asked.filter((url) => /\/threads\/thr_/.test(url)).length).toBeLessThanOrEqual(2);
  });

  test('far down a thread is moved away, and new mail on top moves nothing out of place', async () => {
    await page.getByLabel('Select Thread number 1500', { exact: true }).click();
    await page.getByRole('toolbar', { name: 'selected' }).getByRole('button', { name: 'Archive' }).click();
    await soon(() => row(1_500).count()).toBe(0);
    await row(1_499).waitFor();
    await row(1_501).waitFor();
    await soon(async () => (await inbox()).total).toBe(THREADS - 1);
    await walk.receive(ADA, rawMail({ subject: 'Just now' }));
    await soon(async () => items().first().getAttribute('aria-setsize')).toBe(String(THREADS));
    await row(1_501).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: 'Just now' }).waitFor();
    await row(1).waitFor();
  });

  test('many are marked by one request for a thousand, and one that is gone stops nothing', async () => {
    const [gone] = (
      await walk.owner.call('GET', `/mailboxes/${ada.id}/threads?folder=inbox&offset=3&limit=1`)
    ).body.items;
    await page.getByLabel('Select Just now').click();
    await page.getByRole('button', { name: 'Select all loaded conversations' }).click();
    // Deleted directly in the database, without a live event.
    await sql`delete from threads where id = ${decodeId('thr', gone.id)}`.execute(walk.server.db);
    asked = [];
    const before = (await inbox()).unread;
    await page
      .getByRole('toolbar', { name: 'selected' })
      .getByRole('button', { name: 'Mark as read' })
      .click();
    await page.getByText('This conversation no longer exists.').waitFor();
    expect(asked.filter((url) => url.startsWith('PATCH')).length).toBeLessThanOrEqual(THREADS / 1_000);
    await soon(async () => (await inbox()).unread).toBeLessThan(before - 100);
  });

  test('an answer that was begun is gone on with, from whichever button', async () => {
    await page.getByRole('link', { name: /Just now/ }).click();
    await page.getByRole('heading', { name: 'Just now' }).waitFor();
    await page.keyboard.press('r');
    const editor = page.getByRole('textbox', { name: 'Message', exact: true });
    await editor.waitFor();
    await page.keyboard.type('Begun');
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Just now' }).waitFor();
    await page.getByRole('button', { name: 'Reply', exact: true }).last().click();
    await editor.getByText('Begun').waitFor();
    await page.getByRole('heading', { name: 'Just now' }).click();
    await page.keyboard.press('a');
    await soon(() => editor.evaluate('document.activeElement?.textContent')).toBe('Begun');
    const { items } = (await walk.owner.call('GET', `/mailboxes/${ada.id}/drafts`)).body;
    expect(items).toHaveLength(1);
  });

  test('emptying the trash deletes a thousand threads per request and keeps other folders', async () => {
    const { rows: moved } = await sql<{ id: string }>`
      select id from threads where subject ~ '^Thread number' and subject <> 'Thread number 7'
    `.execute(walk.server.db);
    for (let at = 0; at < moved.length; at += 1_000) {
      const ids = moved.slice(at, at + 1_000).map(({ id }) => encodeId('thr', id));
      await walk.owner.call('PATCH', `/mailboxes/${ada.id}/threads`, { ids, folder: 'trash' });
    }
    const { body: folders } = await walk.owner.call('GET', `/mailboxes/${ada.id}/folders`);
    const { total } = folders.items.find(({ folder }: { folder: string }) => folder === 'trash');
    await page.goto(`/mail/${ada.id}/trash`);
    await page.getByLabel('Select Thread number 1', { exact: true }).click();
    await page.getByLabel('Select Thread number 2', { exact: true }).click();
    asked = [];
    await page
      .getByRole('toolbar', { name: 'selected' })
      .getByRole('button', { name: 'Delete permanently' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
    await soon(() => row(2).count()).toBe(0);
    expect(asked.filter((url) => url.startsWith('DELETE'))).toHaveLength(1);
    await row(4).click();
    await page.getByRole('heading', { name: 'Thread number 4', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Empty trash' }).click();
    const dialog = page.getByRole('dialog', { name: `Delete ${total - 2} conversations permanently?` });
    await expectNothingFromAxe(page);
    await dialog.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByText('Deleted permanently').last().waitFor();
    await soon(() => page.getByRole('button', { name: 'Empty trash' }).count()).toBe(0);
    await soon(() => page.getByLabel('Select Thread number 4', { exact: true }).count()).toBe(0);
    await page.getByText('Conversation not found').waitFor();
    expect(asked.filter((url) => url.startsWith('DELETE')).length).toBeLessThanOrEqual(1 + THREADS / 1_000);
    await soon(inbox).toMatchObject({ total: 2 });
  });

  test('the search field offers what it understands', async () => {
    await page.goto(`/mail/${ada.id}/inbox`);
    await page.getByRole('link', { name: /Just now/ }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('option', { name: /from:/ }).waitFor();
    await expectNothingFromAxe(page);
    await page.keyboard.type('has');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Search mail' });
    await soon(() => field.inputValue()).toBe('has:attachment ');
    await page.getByText('No results').waitFor();
    await field.fill('"just now" from:charles');
    await page.getByRole('link', { name: /Just now/ }).waitFor();
    expect(walk.complaints).toEqual([]);
  });
});

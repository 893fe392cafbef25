import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadInstanceSecret } from '../../../platform/crypto.ts';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import { countWaiting } from '../../../testing/count-waiting.ts';
import type { TestServer, TestTeam } from '../../../testing/test-server.ts';
import { createPublicLinks, hashAddress } from '../../content/links/links.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let book: string;
let people = 0;

beforeAll(async () => {
  world = await startRelayWorld();
  ({ sink, server } = world);
  team = await server.createTeam();
  await addDomain(team, 'shop.test');
  book = await addBook(team);
});
afterAll(() => world.close());
beforeEach(() => sink.reset());

async function addDomain(owner: TestTeam, name: string): Promise<void> {
  const { id } = await addVerifiedDomain(server, owner, name);
  await owner.call('PATCH', `/domains/${id}`, { openTracking: true, clickTracking: true });
}

async function addBook(owner: TestTeam, more: object = {}): Promise<string> {
  const input = { name: 'Harbour <News>', doubleOptInEnabled: true, ...more };
  return (await owner.call('POST', '/contactBooks', input)).body.id;
}

function newEmail(): string {
  return `person${++people}@example.org`;
}

async function add(email: string, more: object = {}, to = book): Promise<string> {
  const { status, body } = await team.call('POST', `/contactBooks/${to}/contacts`, { email, ...more });
  expect(status).toBe(200);
  return body.contactId;
}

/** Waits for the latest confirmation email to this address. `url` is its link. */
async function readMail(email: string) {
  const of = () => sink.messages.filter(({ recipients }) => recipients.includes(email));
  await expect.poll(() => of().length, { interval: 20 }).toBeGreaterThan(0);
  const raw = of().at(-1)!.data;
  const mail = await PostalMime.parse(raw);
  const path = /https?:\/\/[^/]+(\/c\/[\w-]+)/.exec(mail.html ?? '')?.[1];
  return { ...mail, raw: raw.toString(), url: `${server.url}${path}` };
}

function page(url: string, method = 'GET', form = '', headers: Record<string, string> = {}) {
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    ...(method === 'POST' ? { body: form } : {}),
  });
}

async function isSubscribed(id: string, of = book): Promise<boolean> {
  return (await team.call('GET', `/contactBooks/${of}/contacts/${id}`)).body.subscribed;
}

/** Waits until all confirmation jobs have finished. */
async function waitForJobs(): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) from jobs
          where name in ('confirm-sign-ups', 'send-confirmations')
        `.execute(server.db);
        return rows[0]!.count;
      },
      { interval: 20 },
    )
    .toBe(0);
}

/** Returns a link for this contact that expired a day ago. */
async function expiredLink(email: string): Promise<string> {
  const { rows } = await sql<{ teamId: number; contactBookId: string; contactId: string }>`
    select team_id as "teamId", contact_book_id as "contactBookId", id as "contactId"
    from contacts where email = ${email}
  `.execute(server.db);
  const links = createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);
  const expiresAt = new Date(Date.now() - 86_400_000);
  return links.confirm({ ...rows[0]!, addressHash: hashAddress(email), expiresAt });
}

describe('a confirmation', () => {
  test('needs the button on the page; opening the link confirms nothing', async () => {
    const email = newEmail();
    const id = await add(email, { firstName: 'Ada' });
    const mail = await readMail(email);
    expect(mail).toMatchObject({
      subject: 'Please confirm your subscription to Harbour <News>',
      from: { address: 'no-reply@shop.test' },
    });
    expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    expect(mail.html).not.toContain('/t/');
    expect(mail.text).toContain(mail.url.slice(server.url.length));

    for (const method of ['GET', 'HEAD', 'GET']) {
      const shown = await page(mail.url, method);
      expect(shown.status).toBe(200);
      if (method === 'GET') expect(await shown.text()).toContain('<form method="post">');
    }
    expect(await isSubscribed(id)).toBe(false);

    const pressed = await page(mail.url, 'POST');
    expect([pressed.status, pressed.headers.get('set-cookie')]).toEqual([200, null]);
    const text = await pressed.text();
    expect(text).toContain(`${email} is subscribed to “Harbour &lt;News&gt;”.`);
    expect(await isSubscribed(id)).toBe(true);
    expect((await page(mail.url, 'POST')).status).toBe(200);
    const { rows } =
      await sql`select subscription_changed_by as by from contacts where email = ${email}`.execute(server.db);
    expect(rows).toEqual([{ by: 'recipient' }]);
  });

  test('uses the content, subject and sender of the book', async () => {
    const content = {
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [{ type: 'text', text: 'Hi {{contact.firstName,fallback=friend}} of {{CITY}}' }],
        },
        { type: 'paragraph', content: [{ type: 'text', text: '{{doubleOptInUrl}}' }] },
        { type: 'button', attrs: { text: 'Site', url: '{{site}}' } },
        { type: 'button', attrs: { text: 'City', url: 'https://a.example/?c={{city}}' } },
      ],
    };
    const own = await addBook(team, {
      doubleOptInFrom: 'Harbour <join@shop.test>',
      doubleOptInSubject: 'Welcome, {{firstName,fallback=you}}\r\nBcc: eve@example.org',
      doubleOptInContent: content,
    });
    const email = newEmail();
    await add(
      email,
      { firstName: '<b>Ada</b>', properties: { city: 'Bath & Wells', site: 'javascript:alert(1)' } },
      own,
    );
    const mail = await readMail(email);
    expect(mail.from).toEqual({ name: 'Harbour', address: 'join@shop.test' });
    expect(mail.subject).toContain('Welcome, <b>Ada</b>');
    expect(mail.raw).not.toMatch(/^bcc:/im);
    expect(mail.html).toContain('Hi &lt;b&gt;Ada&lt;/b&gt; of Bath &amp; Wells');
    expect(mail.text).toContain('Hi <b>Ada</b> of Bath & Wells');
    expect(mail.html).toContain('href="https://a.example/?c=Bath%20%26%20Wells"');
    expect(mail.html).not.toContain('javascript');
    expect((await page(mail.url)).status).toBe(200);
  });

  test('can be sent again after the clock of the database was set back', async () => {
    const email = newEmail();
    await add(email);
    await readMail(email);
    await waitForJobs();
    await sql`
      update contacts set confirmation_sent_at = now() + interval '2 days' where email = ${email}`.execute(
      server.db,
    );
    await add(email);
    const count = () => sink.messages.filter(({ recipients }) => recipients.includes(email)).length;
    await expect.poll(count, { interval: 20 }).toBe(2);
  });

  test('is sent at most once in ten minutes, however often the contact is posted', async () => {
    const email = newEmail();
    await Promise.all(Array.from({ length: 8 }, () => add(email)));
    await readMail(email);
    await team.call('POST', `/contactBooks/${book}/contacts/bulk`, [{ email }]);
    await waitForJobs();
    expect(sink.messages).toHaveLength(1);

    await sql`update contacts set confirmation_sent_at = now() - interval '11 minutes' where email = ${email}`.execute(
      server.db,
    );
    const id = await add(email);
    await sink.waitForMessages(2);
    const { url } = await readMail(email);
    await page(url, 'POST');
    await sql`update contacts set confirmation_sent_at = null where email = ${email}`.execute(server.db);
    await add(email);
    await waitForJobs();
    expect(await isSubscribed(id)).toBe(true);
    expect(sink.messages).toHaveLength(2);
  });

  test('is not sent by a job that waited while another one asked the contact', async () => {
    const email = newEmail();
    await add(email);
    await readMail(email);
    await waitForJobs();
    const own = sql`email = ${email}`;
    await sql`update contacts set confirmation_sent_at = null where ${own}`.execute(server.db);
    await server.db.transaction().execute(async (trx) => {
      await sql`select from contacts where ${own} for update`.execute(trx);
      await sql`
        select add_job('confirm-sign-ups', json_build_object(
          'teamId', team_id, 'contactBookId', contact_book_id, 'contactIds', json_build_array(id)
        )) from contacts where ${own}`.execute(server.db);
      await expect.poll(() => countWaiting(server.db, 'confirmation_sent_at')).toBe(1);
      await sql`update contacts set confirmation_sent_at = clock_timestamp() where ${own}`.execute(trx);
    });
    await waitForJobs();
    const { rows } = await sql`select from emails where ${email} = any(to_addresses)`.execute(server.db);
    expect(rows).toHaveLength(1);
  });

  test('is sent soon to each of many sign-ups in a row', async () => {
    const emails = Array.from({ length: 40 }, newEmail);
    for (const email of emails) await add(email);
    await sink.waitForMessages(40, 10_000);
  });

  test('is also sent for bulk, PUT and imports', async () => {
    const emails = Array.from({ length: 250 }, newEmail);
    await team.call(
      'POST',
      `/contactBooks/${book}/contacts/bulk`,
      emails.map((email) => ({ email })),
    );
    const { rows } = await sql<{ count: number }>`
      select count(*) from jobs where name = 'send-confirmations'
    `.execute(server.db);
    expect(rows[0]!.count).toBeLessThanOrEqual(2);
    await sink.waitForMessages(250, 30_000);
    expect(new Set(sink.messages.flatMap(({ recipients }) => recipients)).size).toBe(250);

    const put = newEmail();
    const { body } = await team.call('PUT', `/contactBooks/${book}/contacts/con_new`, { email: put });
    const first = await readMail(put);
    const moved = newEmail();
    await team.call('PUT', `/contactBooks/${book}/contacts/${body.contactId}`, { email: moved });
    const second = await readMail(moved);
    // A link sent to the old address cannot confirm the new one.
    expect((await page(first.url, 'POST')).status).toBe(404);
    expect(await isSubscribed(body.contactId)).toBe(false);
    expect((await page(second.url, 'POST')).status).toBe(200);
    expect(await isSubscribed(body.contactId)).toBe(true);
    const contact = `/contactBooks/${book}/contacts/${body.contactId}`;
    await team.call('PUT', contact, { email: moved.toUpperCase(), firstName: 'Ada' });
    expect(await isSubscribed(body.contactId)).toBe(true);
    const unconfirmed = newEmail();
    await team.call('PUT', contact, { email: unconfirmed, subscribed: true });
    expect(await isSubscribed(body.contactId)).toBe(false);
    expect((await page((await readMail(unconfirmed)).url, 'POST')).status).toBe(200);
    expect(await isSubscribed(body.contactId)).toBe(true);

    const imported = newEmail();
    await team.call('POST', `/contactBooks/${book}/imports?consent=ask`, `email\n${imported}\n`, {
      'content-type': 'text/csv',
    });
    await readMail(imported);
  }, 60_000);

  test('reaches every contact exactly once even if a job fails halfway', async () => {
    const emails = Array.from({ length: 60 }, newEmail);
    await sql`
      create function fail_on_one() returns trigger language plpgsql as $$
      begin
        if new.recipient = ${sql.lit(emails[30]!)} then raise exception 'broken for a test'; end if;
        return new;
      end $$`.execute(server.db);
    await sql`create trigger fail_on_one before insert on deliveries for each row execute function fail_on_one()`.execute(
      server.db,
    );
    await team.call(
      'POST',
      `/contactBooks/${book}/contacts/bulk`,
      emails.map((email) => ({ email })),
    );
    const failed = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) from jobs where name = 'send-confirmations' and attempts > 0
          and last_error is not null
      `.execute(server.db);
      return rows[0]!.count;
    };
    await expect.poll(failed, { interval: 20 }).toBe(1);
    const { rows } = await sql`
      select count(*) from contacts where email = any(${emails}) and confirmation_sent_at is not null
    `.execute(server.db);
    expect([rows, sink.messages.length]).toEqual([[{ count: 0 }], 0]);

    await sql`drop function fail_on_one cascade`.execute(server.db);
    await sql`update jobs set due_at = now()`.execute(server.db);
    await waitForJobs();
    await sink.waitForMessages(60);
    expect(sink.messages.flatMap(({ recipients }) => recipients).toSorted()).toEqual(emails.toSorted());
  });
});

describe('no confirmation', () => {
  test('by an expired link, whose page offers a new one', async () => {
    const email = newEmail();
    const id = await add(email);
    const { url } = await readMail(email);
    const token = url.slice(url.lastIndexOf('/') + 1);
    const old = await expiredLink(email);
    expect(old).not.toContain(token);
    for (const method of ['GET', 'POST']) {
      const answer = await page(old, method);
      expect(answer.status).toBe(410);
      expect(await answer.text()).toContain('value="send-again"');
    }
    expect(await isSubscribed(id)).toBe(false);
    await sql`update contacts set confirmation_sent_at = now() - interval '8 days' where email = ${email}`.execute(
      server.db,
    );
    const again = await page(old, 'POST', 'action=send-again');
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining(email)]);
    await sink.waitForMessages(2);
    await page(old, 'POST', 'action=send-again');
    await waitForJobs();
    expect(sink.messages).toHaveLength(2);
    expect((await page((await readMail(email)).url, 'POST')).status).toBe(200);
    expect(await isSubscribed(id)).toBe(true);
    expect((await page(old)).status).toBe(200);
  });

  test('by an old link after the contact unsubscribed or was deleted', async () => {
    const email = newEmail();
    const id = await add(email);
    const { url } = await readMail(email);
    await page(url, 'POST');
    await team.call('PATCH', `/contactBooks/${book}/contacts/${id}`, { subscribed: false });
    const answer = await page(url, 'POST');
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('unsubscribed')]);
    expect(await isSubscribed(id)).toBe(false);
    await team.call('DELETE', `/contactBooks/${book}/contacts/${id}`);
    expect((await page(url, 'POST')).status).toBe(404);
  });

  test("by a forged or truncated link, which shows a page in the visitor's language", async () => {
    const email = newEmail();
    await add(email);
    const { url } = await readMail(email);
    for (const broken of [
      url.slice(0, -1),
      `${url}x`,
      `${server.url}/c/`,
      `${server.url}/c/%00`,
      `${url}/x`,
    ]) {
      const answer = await page(broken, 'POST', '', { 'accept-language': 'xx, de-AT;q=0.8, en;q=0.1' });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toMatch(/<html lang="de">[^]*Dieser Link funktioniert nicht/);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect((await page(url, 'PUT')).status).toBe(405);
  });

  test('is requested without a verified domain, from suppressed addresses or from unsubscribed contacts', async () => {
    const other = await server.createTeam();
    const otherBook = await addBook(other);
    const email = newEmail();
    const post = () => other.call('POST', `/contactBooks/${otherBook}/contacts`, { email });
    await post();
    await waitForJobs();
    expect(sink.messages).toHaveLength(0);
    await addDomain(other, 'late.test');
    await post();
    expect((await readMail(email)).from?.address).toBe('no-reply@late.test');

    const suppressed = newEmail();
    await team.call('POST', '/suppressions', { email: suppressed });
    await add(suppressed);
    await add(newEmail(), { subscribed: false });
    await waitForJobs();
    expect(sink.messages).toHaveLength(1);
  });
});

test('an address gets three confirmations in an hour, however many books of the team it is added to', async () => {
  const email = newEmail();
  const books = await Promise.all(Array.from({ length: 10 }, () => addBook(team)));
  await Promise.all(books.map((to) => add(email, {}, to)));
  await waitForJobs();
  const of = () => sink.messages.filter(({ recipients }) => recipients.includes(email));
  await expect.poll(() => of().length).toBe(3);
});

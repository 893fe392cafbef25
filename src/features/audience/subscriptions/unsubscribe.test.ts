import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadInstanceSecret } from '../../../platform/crypto.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { openDialogue } from '../../../testing/smtp-dialogue.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import {
  createPublicLinks,
  hashAddress,
  type PublicLinks,
  type UnsubscribeLink,
} from '../../content/links/links.ts';

let server: TestServer;
let team: TestTeam;
let links: PublicLinks;
let book: string;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'smtp'] });
  team = await server.createTeam();
  links = createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);
  book = (await team.call('POST', '/contactBooks', { name: 'Harbour News' })).body.id;
});
afterAll(() => server.close());

async function add(): Promise<string> {
  const email = `person${++people}@example.org`;
  return (await team.call('POST', `/contactBooks/${book}/contacts`, { email })).body.contactId;
}

async function addTopic(name: string): Promise<string> {
  return (await team.call('POST', '/topics', { name, description: 'Once a <month>' })).body.id;
}

function linkOf(contactId: string, more: Partial<UnsubscribeLink> = {}): UnsubscribeLink {
  return {
    teamId: team.teamId,
    contactBookId: decodeId('cbk', book)!,
    contactId: decodeId('con', contactId)!,
    emailId: null,
    campaignId: null,
    topicId: null,
    ...more,
  };
}

async function get(contactId: string) {
  return (await team.call('GET', `/contactBooks/${book}/contacts/${contactId}`)).body;
}

async function topicsOf(contactId: string): Promise<Record<string, boolean>> {
  const { body } = await team.call('GET', `/contactBooks/${book}/contacts/${contactId}/topics`);
  return Object.fromEntries(
    body.items.map((topic: { id: string; subscribed: boolean }) => [topic.id, topic.subscribed]),
  );
}

async function toldOf(contactId: string): Promise<{ type: string }[]> {
  const { rows } = await sql<{ type: string }>`
    select type from webhook_events where ids ->> 'id' = ${`con ${decodeId('con', contactId)}`} order by id
  `.execute(server.db);
  return rows;
}

function post(url: string, body = 'List-Unsubscribe=One-Click', type = 'application/x-www-form-urlencoded') {
  return fetch(url, { method: 'POST', redirect: 'manual', headers: { 'content-type': type }, body });
}

describe('one click (RFC 8058)', () => {
  test('unsubscribes and answers 200 without a cookie or redirect, also when repeated', async () => {
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact));
    for (let time = 0; time < 2; time += 1) {
      const answer = await post(url);
      expect([answer.status, answer.redirected, answer.headers.get('set-cookie')]).toEqual([
        200,
        false,
        null,
      ]);
    }
    expect(await get(contact)).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED' });
    const { rows } = await sql`
      select subscription_changed_by as by from contacts where id = ${decodeId('con', contact)}
    `.execute(server.db);
    expect(rows).toEqual([{ by: 'recipient' }]);
  });

  test.each([
    [
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    ['', 'text/plain'],
    ['{"a":1}', 'application/json'],
    ['\0\ufffd%zz', 'application/x-www-form-urlencoded'],
  ])('accepts any body that email apps post: %j', async (body, type) => {
    const contact = await add();
    expect((await post(links.unsubscribe(linkOf(contact)), body, type)).status).toBe(200);
    expect((await get(contact)).subscribed).toBe(false);
  });

  test('opening the link only shows the page', async () => {
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact));
    const answer = await fetch(url, { headers: { 'accept-language': 'fr-CH, fr;q=0.9' } });
    const text = await answer.text();
    expect(text).toMatch(/<html lang="fr">[^]*«\u00A0Harbour News\u00A0»[^]*<form method="post">/);
    expect(text).not.toContain('<script');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await get(contact)).subscribed).toBe(true);
  });

  test('counts once for its campaign and announces each unsubscribe to webhooks', async () => {
    const campaignId = newUuid();
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact, { campaignId, emailId: newUuid() }));
    await sql`
      insert into webhooks (team_id, id, url, events, secret)
      values (${team.teamId}, ${newUuid()}, 'https://hooks.example/', '{contact.unsubscribed}', '')
    `.execute(server.db);
    await Promise.all([post(url), post(url), post(url)]);
    await team.call('PATCH', `/contactBooks/${book}/contacts/${contact}`, { subscribed: true });
    await post(url);
    const { rows } = await sql`
      select sum(unsubscribed)::int8 as count from campaign_counts where campaign_id = ${campaignId}
    `.execute(server.db);
    expect(rows).toEqual([{ count: 1 }]);
    expect((await toldOf(contact)).map(({ type }) => type)).toEqual([
      'contact.unsubscribed',
      'contact.unsubscribed',
    ]);
    await sql`delete from webhooks`.execute(server.db);
  });

  test('tells webhooks the same as leaving by the API', async () => {
    const ways: Record<string, (contact: string, url: string) => Promise<unknown>> = {
      patch: (contact) =>
        team.call('PATCH', `/contactBooks/${book}/contacts/${contact}`, { subscribed: false }),
      oneClick: (_contact, url) => post(url),
      page: (_contact, url) => post(url, 'scope=everything'),
      preferences: (contact) => post(links.preferences(linkOf(contact)), 'scope=everything'),
    };
    const told: Record<string, unknown> = {};
    for (const [way, leave] of Object.entries(ways)) {
      const contact = await add();
      const { createdAt } = await get(contact);
      const hook = { url: 'https://hooks.example/', events: ['contact.*'] };
      const { id } = (await team.call('POST', '/webhooks', hook)).body;
      await leave(contact, links.unsubscribe(linkOf(contact)));
      const shown = await get(contact);
      expect(shown).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED', createdAt });
      const calls = (await team.call('GET', `/webhooks/${id}/calls`)).body.items;
      // The newest call comes first.
      told[way] = calls.map(({ payload }: { payload: { type: string; data: object } }) => [
        payload.type,
        Object.keys(payload.data).join(),
      ]);
      for (const { payload } of calls) expect(shown).toMatchObject(payload.data);
      await team.call('DELETE', `/webhooks/${id}`);
    }
    const types = (told.patch as [string, string][]).map(([type]) => type);
    expect(types).toEqual(['contact.unsubscribed', 'contact.updated']);
    for (const way of Object.keys(ways)) expect([way, told[way]]).toEqual([way, told.patch]);
  });

  test('answers 200 for a deleted contact', async () => {
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact));
    await team.call('DELETE', `/contactBooks/${book}/contacts/${contact}`);
    expect((await post(url)).status).toBe(200);
    expect((await fetch(url)).status).toBe(200);
  });

  test('does nothing for forged or truncated links, or links of another team', async () => {
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact));
    const other = await server.createTeam();
    const foreign = links.unsubscribe(linkOf(contact, { teamId: other.teamId }));
    for (const broken of [url.slice(0, -1), `${url}A`, `${server.url}/u/`, `${server.url}/u/x`])
      expect((await post(broken)).status).toBe(404);
    expect((await post(foreign)).status).toBe(200);
    expect((await post(`${url}?utm=1`, 'x'.repeat(100_000))).status).toBe(413);
    expect((await get(contact)).subscribed).toBe(true);
  });
});

describe('topics', () => {
  test('a link with a topic leaves that topic, or everything', async () => {
    const [news, jobs] = [await addTopic('News'), await addTopic('Jobs')];
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact, { topicId: decodeId('top', news) }));
    const text = await (await fetch(url)).text();
    expect(text).toMatch(/Unsubscribe from “News”[^]*Unsubscribe from all emails[^]*href="[^"]*\/p\//);
    expect((await post(url)).status).toBe(200);
    expect(await topicsOf(contact)).toMatchObject({ [news]: false, [jobs]: true });
    expect((await get(contact)).subscribed).toBe(true);
    await post(url, 'scope=everything');
    expect((await get(contact)).subscribed).toBe(false);
  });

  test('a link with a deleted topic leaves the book', async () => {
    const topic = await addTopic('Soon gone');
    const contact = await add();
    const url = links.unsubscribe(linkOf(contact, { topicId: decodeId('top', topic) }));
    await team.call('DELETE', `/topics/${topic}`);
    await post(url);
    expect((await get(contact)).subscribed).toBe(false);
  });

  test('are chosen on the preferences page', async () => {
    const [first, second] = [await addTopic('First'), await addTopic('Second')];
    const contact = await add();
    const url = links.preferences(linkOf(contact));
    const shown = await (await fetch(url)).text();
    expect(shown).toContain('Once a &lt;month&gt;');
    expect(shown.match(/ checked/g)!.length).toBeGreaterThanOrEqual(2);
    const form = `shown=${first}&shown=${second}&topic=${second}&topic=${encodeId('top', newUuid())}&topic=x`;
    expect((await post(url, form)).status).toBe(200);
    expect(await topicsOf(contact)).toMatchObject({ [first]: false, [second]: true });
    expect((await post(url, '')).status).toBe(200);
    expect(await topicsOf(contact)).toMatchObject({ [first]: false, [second]: true });
    await post(url, 'scope=everything');
    expect((await get(contact)).subscribed).toBe(false);
    expect(await (await fetch(url)).text()).toContain('You have unsubscribed');
    await team.call('DELETE', `/contactBooks/${book}/contacts/${contact}`);
    expect((await fetch(url)).status).toBe(404);
    expect((await post(url, form)).status).toBe(404);
  });
});

test('the pages to unsubscribe, confirm and choose topics have the brand of the team', async () => {
  const brand = {
    logoUrl: 'https://shop.example/logo.png',
    contentColor: '#ffffff',
    buttonColor: '#00aa55',
    fontFamily: 'serif',
    postalAddress: '1 Harbour <Street>\nOslo',
  };
  expect((await team.call('PATCH', '/brand', brand)).status).toBe(200);
  const { contactId, email } = await get(await add()).then(({ id, email: address }) => ({
    contactId: id,
    email: address,
  }));
  const link = linkOf(contactId);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const confirm = links.confirm({ ...link, addressHash: hashAddress(email), expiresAt });
  for (const url of [links.unsubscribe(link), links.preferences(link), confirm]) {
    for (const page of [await fetch(url), await post(url, url === confirm ? '' : 'scope=everything')]) {
      const html = await page.text();
      expect(html).toContain('<img class="logo" src="https://shop.example/logo.png" alt="">');
      expect(html).toContain('--horn: #00aa55');
      expect(html).toContain('font-family: Georgia');
      expect(html).toContain('<footer>1 Harbour &lt;Street&gt;\nOslo</footer>');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain('img-src data: https://shop.example;');
    }
  }
});

test('mail to the unsubscribe address of a campaign email unsubscribes the contact', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'shop.test' });
  const contact = await add();
  const [emailId, campaignId] = [newUuid(), newUuid()];
  const { contactBookId, contactId } = linkOf(contact);
  await sql`
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, campaign_id, contact_book_id, contact_id)
    values (${team.teamId}, ${emailId}, ${domain.id}, 'campaign', 'DELIVERED', 'a@shop.test', '{}', '{}', '{}', '{}',
      '', '<x@shop.test>', ${campaignId}, ${contactBookId}, ${contactId})
  `.execute(server.db);
  const address = links.unsubscribeAddress(emailId, 'shop.test');
  const replies = await deliver([address.toUpperCase()]);
  expect(replies.at(-1)).toMatch(/^250/);
  expect((await get(contact)).subscribed).toBe(false);
  const forged = address.replace(/^u-./, (start) => (start === 'u-0' ? 'u-1' : 'u-0'));
  expect((await deliver([forged, links.unsubscribeAddress(newUuid(), 'shop.test')])).join('\n')).toMatch(
    /^550/m,
  );
});

/** Returns the reply to each recipient, and to the message if any recipient was accepted. */
async function deliver(recipients: string[]): Promise<string[]> {
  const smtp = await openDialogue(server.smtpPort);
  await smtp.say('EHLO there.example');
  await smtp.say('MAIL FROM:<reader@example.org>');
  const replies: string[] = [];
  for (const recipient of recipients) replies.push(await smtp.say(`RCPT TO:<${recipient}>`));
  if (replies.some((reply) => reply.startsWith('250'))) {
    await smtp.say('DATA');
    replies.push(await smtp.say('Subject: unsubscribe\r\n\r\n.'));
  }
  smtp.drop();
  return replies;
}

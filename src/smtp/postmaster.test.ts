/** RFC 5321 section 4.5.1: mail for postmaster is read by somebody. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letter, startMailWorld, writeTo, type MailWorld } from '../testing/mail-world.ts';
import { createCall } from '../testing/test-server.ts';

let world: MailWorld;

/** The server belongs to the first team. */
const KEY = 'k'.repeat(40);

beforeAll(async () => {
  world = await startMailWorld({ env: { MAIL_HOST: 'mx.posthorn.example', BOOTSTRAP_API_KEY: KEY } });
});
afterAll(() => world.close());

const write = (to: string, subject: string) => writeTo(world.server.smtpPort, to, letter({ subject }));

test('while nobody has a mailbox there is no postmaster', async () => {
  expect((await write('postmaster@harbour.test', 'x')).rcpt).toEqual([expect.stringMatching(/^550 5\.1\.1/)]);
});

test('the postmaster of a domain is its own mailbox, or else another of the team', async () => {
  const ada = await world.createMailbox('ada');
  await expect.poll(async () => (await write('PostMaster@Harbour.test', 'To Ada')).data).toMatch(/^250/);
  await expect.poll(async () => (await world.threads(ada.id)).length).toBe(1);
  expect((await write('postmaster@bounce.harbour.test', 'To Ada too')).data).toMatch(/^250/);
  const own = await world.createMailbox('postmaster');
  await expect
    .poll(async () => {
      await write('postmaster@harbour.test', 'To postmaster');
      return (await world.threads(own.id)).length;
    })
    .toBeGreaterThan(0);
  expect((await write('postmaster@elsewhere.test', 'x')).rcpt).toEqual([
    expect.stringMatching(/^550 5\.1\.1/),
  ]);
});

test('the postmaster of the server is read by its first team alone', async () => {
  for (const to of ['postmaster', 'POSTMASTER@mx.posthorn.example'])
    expect((await write(to, 'x')).rcpt).toEqual([expect.stringMatching(/^550 5\.1\.1/)]);
  const first = createCall(world.server.url, KEY);
  const { body: domain } = await first('POST', '/domains', { name: 'home.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(
    world.server.db,
  );
  const { body: owner } = await first('POST', '/mailboxes', { address: 'me@home.test' });
  for (const [no, to] of ['postmaster', 'Postmaster', 'POSTMASTER@mx.posthorn.example'].entries())
    await expect.poll(async () => (await write(to, `Number ${no}`)).data).toMatch(/^250/);
  const { body } = await first('GET', `/mailboxes/${owner.id}/threads`);
  expect(body.items).toHaveLength(3);
});

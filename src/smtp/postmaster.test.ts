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

test('the postmaster of a domain is another mailbox of the team, or else its own', async () => {
  const ada = await world.createMailbox('ada');
  expect((await write('PostMaster@Harbour.test', 'To Ada')).data).toMatch(/^250/);
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

test('the postmaster of the server is read by its first team alone, which gets a mailbox for it', async () => {
  const first = createCall(world.server.url, KEY);
  const { body: domain } = await first('POST', '/domains', { name: 'home.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(
    world.server.db,
  );
  const tos = ['postmaster', 'Postmaster', 'POSTMASTER@mx.posthorn.example'];
  const answers = await Promise.all(tos.map((to, no) => write(to, `Number ${no}`)));
  expect(answers.map(({ data }) => data)).toEqual(tos.map(() => expect.stringMatching(/^250/)));
  const { body: mailboxes } = await first('GET', '/mailboxes');
  expect(mailboxes.items).toMatchObject([{ address: 'postmaster@home.test', name: 'Postmaster' }]);
  const { body } = await first('GET', `/mailboxes/${mailboxes.items[0].id}/threads`);
  expect(body.items).toHaveLength(3);
});

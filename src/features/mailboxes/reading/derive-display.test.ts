import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, writeTo, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const newsletter = (subject: string, html: string) =>
  `From: news@example.org\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;

/** Makes the messages of the team look as if they were stored before the column existed. */
async function ageMessages(): Promise<void> {
  await sql`update messages set display_html = null, created_at = created_at - interval '1 year'
    where team_id = ${world.team.teamId}`.execute(world.server.db);
}

async function readOnly(address: { id: string }) {
  const { id } = (await world.threads(address.id))[0]!;
  const { messages } = (await world.team.call('GET', `/threads/${id}`)).body;
  const { body } = await world.team.call('GET', `/messages/${messages[0].id}`);
  const display = (await world.team.call('GET', `/messages/${messages[0].id}/display`)).body;
  return {
    ofThread: messages[0].display_html,
    ofMessage: body.display_html,
    displayed: display.html,
    html: body.html,
  };
}

test('a newsletter from before display forms were stored is shown with its style sheet', async () => {
  const box = await world.freshMailbox();
  const html =
    '<style>.box { color: #123456 } @import "https://evil.example/x.css";</style><script>alert(1)</script><p class="box" onclick="x()">Hello</p>';
  expect((await writeTo(world.server.smtpPort, box.address, newsletter('Old', html))).data).toMatch(/^250/);
  const before = await readOnly(box);
  expect(before.ofThread).toContain('color:');
  await ageMessages();
  const after = await readOnly(box);
  expect(after).toEqual(before);
  expect(after.ofThread).not.toMatch(/script|onclick|@import/);
  const { rows } = await sql`select 1 from messages
    where team_id = ${world.team.teamId} and display_html is not null`.execute(world.server.db);
  expect(rows).toEqual([]);
});

test('an old message without a style sheet is shown as it is stored', async () => {
  const box = await world.freshMailbox();
  expect(
    (await writeTo(world.server.smtpPort, box.address, newsletter('Plain', '<p>Hello</p>'))).data,
  ).toMatch(/^250/);
  await ageMessages();
  const { ofThread, ofMessage, displayed, html } = await readOnly(box);
  expect([ofThread, ofMessage]).toEqual([null, null]);
  expect(displayed).toBe(html);
});

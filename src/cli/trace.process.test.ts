import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { runPosthorn } from '../testing/posthorn-process.ts';

let world: MailWorld;
let env: Record<string, string>;

beforeAll(async () => {
  world = await startMailWorld();
  const { config } = world.server;
  env = { DATA_DIR: config.dataDir, DATABASE_URL: config.databaseUrl! };
});
afterAll(() => world.close());

const trace = (...args: string[]) => runPosthorn(['trace', ...args], env);

async function send(to: string): Promise<string> {
  const email = { from: 'news@harbour.test', to, subject: 'Tides\u001B[31m', text: 'x' };
  const { status, body } = await world.team.call('POST', '/emails', email);
  expect(status).toBe(200);
  await expect
    .poll(async () => (await world.team.call('GET', `/emails/${body.emailId}`)).body.status)
    .not.toMatch(/QUEUED|SENT$/);
  return body.emailId;
}

test('the story of a sent email is told, delivered or not', async () => {
  const [delivered, bounced] = [await send('ada@reader.example'), await send('bounce@simulator.test')];
  const [story, json, failed] = await Promise.all([
    trace(delivered),
    trace(delivered, '--json'),
    trace(bounced),
  ]);
  expect(story).toMatchObject({ code: 0, stderr: '' });
  expect(story.stdout).toContain(`${delivered}  DELIVERED`);
  expect(story.stdout).toMatch(/submitted: +over HTTP with the key Test, key_[0-9a-z]{26}/);
  expect(story.stdout).toMatch(/recipient: +ada@reader\.example {2}DELIVERED/);
  expect(story.stdout).toMatch(/Z {2}It was accepted and waits in the queue\.\n/);
  expect(story.stdout).toMatch(/accepted it.*\.\n$/);
  expect(story.stdout).not.toContain('\u001B');
  const [parsed] = JSON.parse(json.stdout);
  expect(parsed).toMatchObject({ kind: 'email', id: delivered, status: 'DELIVERED', opens: 0 });
  expect(parsed.steps.map(({ type }: { type: string }) => type)).toEqual([
    'email.queued',
    'email.sent',
    'email.delivered',
  ]);
  expect(failed.stdout).toMatch(/It bounced .*\(.+\): 5\d\d /);

  const byMessageId = await trace(parsed.messageId);
  expect(byMessageId.stdout).toBe(story.stdout);
  const byAddress = await trace('Ada@Reader.example');
  expect(byAddress.stdout).toBe(story.stdout);
});

test('the story of a received message has its checks, its rules and its folder', async () => {
  const box = await world.createMailbox('desk');
  const added = await world.team.call('POST', `/mailboxes/${box.id}/rules`, {
    name: 'Bills',
    match: 'all',
    conditions: [{ field: 'subject', op: 'contains', value: 'Bill' }],
    actions: [{ type: 'move', value: 'archive' }],
  });
  expect(added.status).toBeLessThan(300);
  await world.receive(box, { subject: 'Bill 7', from: 'shop@sender.example' });
  const { stdout } = await trace('desk@harbour.test', '--json');
  const [story] = JSON.parse(stdout);
  expect(story).toMatchObject({
    kind: 'message',
    mailbox: 'desk@harbour.test',
    folder: 'archive',
    subject: 'Bill 7',
    rules: [{ rule: 'Bills', error: null }],
    spam: { score: expect.any(Number) },
  });
  const text = await trace(story.id);
  expect(text.stdout).toContain(`${story.id}  received, in the folder archive of desk@harbour.test`);
  expect(text.stdout).toMatch(/checks: +spf \w+, dkim \w+, dmarc \w+/);
  expect(text.stdout).toContain('The rule “Bills” did: move');
});

test('what is unknown or wrong is said', async () => {
  const [unknown, wrong, none] = await Promise.all([
    trace('nobody@reader.example'),
    trace('something'),
    trace(),
  ]);
  expect(unknown).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Nothing is known about nobody@reader.example.\n',
  });
  for (const { code, stderr } of [wrong, none]) {
    expect(code).toBe(2);
    expect(stderr).toContain('Give an email address');
  }
});

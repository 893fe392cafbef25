import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('rules leave and come back as a Sieve script', async () => {
  const box = await world.freshMailbox();
  await world.addRule(box, {
    name: 'Bills',
    conditions: [{ field: 'from', op: 'is', value: 'a@b.test' }],
    actions: [{ type: 'label', value: 'bills' }],
    stop: true,
  });
  const path = `/mailboxes/${box.id}/rules.sieve`;
  const { body } = await world.team.call('GET', path);
  expect((await world.team.call('PUT', path, body)).body).toEqual({ rules: 1 });
  expect((await world.team.call('GET', path)).body).toEqual(body);
  const wrong = await world.team.call('PUT', path, { script: '\nif true { reject "no"; }' });
  expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringContaining('line 2')]);
  expect((await world.team.call('GET', path)).body).toEqual(body);
});

test('a Sieve script is exchanged as text as well', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}/rules.sieve`;
  const script =
    'require ["fileinto"];\n\n# rule: Lists\nif header :contains "list-id" "news" {\n  fileinto "Archive";\n}\n';
  const put = (type: string, body: string) => world.team.call('PUT', path, body, { 'content-type': type });
  expect((await put('application/sieve; charset=utf-8', script)).body).toEqual({ rules: 1 });
  const get = (accept: string) =>
    fetch(`${world.server.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${world.team.key}`, accept },
    });
  for (const type of ['application/sieve', 'text/plain']) {
    const answer = await get(type);
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    const text = await answer.text();
    expect(text).toContain('# rule: Lists');
    expect((await put(type, text)).body).toEqual({ rules: 1 });
  }
  expect(await (await get('*/*')).json()).toEqual({ script: expect.stringContaining('# rule: Lists') });
  const wrong = await put('text/plain', 'if true {\n  reject "no";\n}');
  expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringContaining('line 2')]);
  expect((await put('text/html', script)).status).toBe(400);
});

function script(encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from('if header :contains "subject" "Größe" {\n  discard;\n}\n', encoding));
}

test('a Sieve script that is not UTF-8 is rejected', async () => {
  const box = await world.freshMailbox();
  const put = async (type: string, body: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(`${world.server.url}/api/v1/mailboxes/${box.id}/rules.sieve`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${world.team.key}`, 'content-type': type },
      body,
    });
    return [answer.status, JSON.stringify(await answer.json())];
  };
  const refusal = [400, expect.stringContaining('UTF-8')];
  expect(await put('text/plain', script('latin1'))).toEqual(refusal);
  expect(await put('text/plain; charset=iso-8859-1', script('latin1'))).toEqual(refusal);
  expect(await put('text/plain; charset=UTF-8', script('utf8'))).toEqual([200, '{"rules":1}']);
});

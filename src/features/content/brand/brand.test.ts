import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

test('a team begins without a brand, and changes one field at a time', async () => {
  const { status, body: none } = await team.call('GET', '/brand');
  expect(status).toBe(200);
  expect(new Set(Object.values(none))).toEqual(new Set([null]));
  const change = async (fields: object) => (await team.call('PATCH', '/brand', fields)).body;
  expect(await change({})).toEqual(none);
  const address = 'Harbour Books\nQuay 1';
  const first = await change({ buttonColor: '#102030', postalAddress: ` ${address} `, fontFamily: 'serif' });
  expect(first).toMatchObject({ buttonColor: '#102030', postalAddress: address, fontFamily: 'serif' });
  const second = await change({ buttonColor: null, footerText: '', logoUrl: 'https://x.example/logo.png' });
  expect(second).toMatchObject({ buttonColor: null, footerText: null, postalAddress: address });
  expect((await team.call('GET', '/brand')).body).toEqual(second);
  const other = await server.createTeam();
  expect((await other.call('GET', '/brand')).body.postalAddress).toBeNull();
});

test.each([
  { buttonColor: 'red' },
  { linkColor: '#12345' },
  { textColor: '#123456;x:y' },
  { logoUrl: 'javascript:alert(1)' },
  { logoUrl: 'data:image/png;base64,AAAA' },
  { logoUrl: 'https://' },
  { fontFamily: 'comic' },
  { postalAddress: 'x'.repeat(1001) },
  { postalAddress: 'a\u0000b' },
  { footerText: 5 },
])('%j is refused', async (fields) => {
  const { status, body } = await team.call('PATCH', '/brand', fields);
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runImport } from '../../testing/fixtures/run-import.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = mkdtempSync(join(tmpdir(), 'posthorn-export-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[]) => runImport(server, args);

function save(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Creates a ZIP archive like Mailchimp's: every other file is stored, the others are deflated. */
function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const content = Buffer.from(text);
    const packed = index % 2 ? content : deflateRawSync(content);
    const sizes = Buffer.alloc(16);
    sizes.writeUInt32LE(crc32(content), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(content.length, 8);
    sizes.writeUInt16LE(Buffer.byteLength(name), 12);
    const method = Buffer.from([20, 0, 0, 0, index % 2 ? 0 : 8, 0, 0, 0, 0, 0]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), method, sizes, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), method, sizes, end, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

async function contactsOf(team: TestTeam) {
  const [{ id, name, doubleOptInEnabled }] = (await team.call('GET', '/contactBooks')).body;
  const { items } = (await team.call('GET', `/contactBooks/${id}/contacts?limit=100`)).body;
  const byEmail = Object.fromEntries(items.map((each: { email: string }) => [each.email, each]));
  return { id, name, doubleOptInEnabled, byEmail };
}

const HEAD = '"Email Address","First Name","Last Name","Favourite colour",MEMBER_RATING,OPTIN_TIME';
const EXPORT = {
  'subscribed_email_audience_export_1a2b.csv': `${HEAD},TAGS\n"ada@example.com",Ada,Lovelace,"Dark ""blue""",4,"2020-01-02 03:04:05","""VIP"",""Early bird"""\n`,
  'unsubscribed_email_audience_export_1a2b.csv': `${HEAD},UNSUB_TIME,UNSUB_REASON,TAGS\nbob@example.com,Bob,,,1,"2020-01-02 03:04:05","2021-01-02 03:04:05",NORMAL,\nbroken\n`,
  'cleaned_email_audience_export_1a2b.csv': `${HEAD},CLEAN_TIME,TAGS\ncleo@example.com,,,,1,"2020-01-02 03:04:05","2021-01-02 03:04:05",\n`,
  'nonsubscribed_email_audience_export_1a2b.csv': `${HEAD},TAGS\ndan@example.com,,,,1,,\n`,
  'granular_activity/opens.csv': 'Email,Timestamp\nsomebody@example.com,2020\n',
};

test("an audience that Mailchimp exported is imported with everyone's status, once", async () => {
  const team = await server.createTeam();
  const path = save('friends.zip', zip(EXPORT));
  const args = ['mailchimp', '--team', String(team.teamId), '--file', path, '--book', 'Friends'];
  expect(await run([...args, '--dry-run'])).toMatch(/contacts +5 +4 +0 +0 +1/);
  const printed = await run(args);
  expect(printed).toContain('unsubscribed_email_audience_export_1a2b.csv, line 3: The row has too few');
  const { name, byEmail, id } = await contactsOf(team);
  expect(name).toBe('Friends');
  expect(Object.keys(byEmail)).toHaveLength(4);
  expect(byEmail['ada@example.com']).toMatchObject({
    firstName: 'Ada',
    subscribed: true,
    consent: { note: expect.stringContaining('Imported from Mailchimp, list Friends, on ') },
    properties: { Favourite_colour: 'Dark "blue"', OPTIN_TIME: '2020-01-02 03:04:05' },
  });
  expect(byEmail['bob@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'NORMAL' });
  expect(byEmail['cleo@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'BOUNCED' });
  expect(byEmail['dan@example.com']).toMatchObject({
    subscribed: false,
    unsubscribeReason: 'NEVER_SUBSCRIBED',
  });
  const { items: segments } = (await team.call('GET', '/segments')).body;
  expect(segments.map((each: { name: string }) => each.name).toSorted()).toEqual(['Early bird', 'VIP']);
  const imports = (await team.call('GET', `/contactBooks/${id}/imports`)).body.items;
  expect(imports).toHaveLength(2);
  expect(imports[0]).toMatchObject({ status: 'DONE', progress: 1 });

  expect(await run(args)).toMatch(/contacts +5 +0 +0 +4 +1/);
  expect((await contactsOf(team)).byEmail).toEqual(byEmail);

  // A contact who unsubscribes here stays unsubscribed, whatever the export says.
  const contactId = byEmail['ada@example.com'].id;
  await team.call('PATCH', `/contactBooks/${id}/contacts/${contactId}`, { subscribed: false });
  expect(await run(args)).toMatch(/contacts +5 +0 +0 +4 +1/);
  expect((await contactsOf(team)).byEmail['ada@example.com'].subscribed).toBe(false);
});

test('a large CSV file is read in pieces, with --consent none all have to confirm', async () => {
  const team = await server.createTeam();
  const filler = 'x'.repeat(1_000);
  const rows = Array.from({ length: 3_000 }, (_, index) => `p${index}@example.com,"a\n${filler}"`);
  const path = save('renamed.csv', `Email Address,Bio\n${rows.join('\n')}`);
  const args = ['mailchimp', '--team', String(team.teamId), '--file', path, '--consent', 'none'];
  expect(await run(args)).toMatch(/contacts +3000 +3000 +0 +0 +0/);
  const { id, name, doubleOptInEnabled, byEmail } = await contactsOf(team);
  expect({ name, doubleOptInEnabled }).toEqual({ name: 'renamed', doubleOptInEnabled: true });
  expect((await team.call('GET', `/contactBooks/${id}`)).body._count.contacts).toBe(3_000);
  for (const contact of Object.values(byEmail))
    expect(contact).toMatchObject({ subscribed: false, unsubscribeReason: null, consent: null });
  expect((await team.call('GET', '/emails')).body.items).toEqual([]);
});

test("listmonk's CSV says nothing about consent, so the operator has to", async () => {
  const rows = [
    'uuid,email,name,attributes,status,created_at,updated_at',
    'u1,ada@example.com,Ada Lovelace,"{""city"": ""Paris"", ""good"": true}",enabled,2020,2021',
    'u2,bob@example.com,Bob,{},blocklisted,2020,2021',
    'u3,cleo@example.com,Cleo,{},disabled,2020,2021',
  ];
  const path = save('subscribers.csv', rows.join('\n'));
  for (const consent of [[], ['--consent', 'confirmed']]) {
    const team = await server.createTeam();
    await run(['listmonk', '--team', String(team.teamId), '--file', path, '--book', 'News', ...consent]);
    const { doubleOptInEnabled, byEmail } = await contactsOf(team);
    const isConfirmed = consent.length > 0;
    expect(doubleOptInEnabled).toBe(!isConfirmed);
    expect(byEmail['ada@example.com']).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      subscribed: isConfirmed,
      properties: { city: 'Paris', good: true },
      consent: isConfirmed ? { source: 'import' } : null,
    });
    expect(byEmail['bob@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'BLOCKLISTED' });
    expect(byEmail['cleo@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'DISABLED' });
    expect((await team.call('GET', '/suppressions')).body.items).toMatchObject([
      { email: 'bob@example.com', reason: 'MANUAL' },
    ]);
  }
});

test('files that cannot be read are explained', async () => {
  const { teamId } = await server.createTeam();
  const at = (path: string) => run(['mailchimp', '--team', String(teamId), '--file', path]);
  const whole = zip(EXPORT);
  const larger = Buffer.from(whole);
  // The directory declares a size that is smaller than the first file.
  larger.writeUInt32LE(10, whole.indexOf('PK\x01\x02') + 24);
  await expect(at(join(folder, 'missing.zip'))).rejects.toThrow(/missing\.zip cannot be read \(ENOENT\)/);
  await expect(at(save('cut.zip', whole.subarray(0, -30)))).rejects.toThrow(/no directory/);
  await expect(at(save('larger.zip', larger))).rejects.toThrow(/larger than it says/);
  await expect(at(save('other.zip', zip({ 'a.txt': 'x' })))).rejects.toThrow(/no exported contacts/);
  await expect(at(save('other.csv', 'a,b\n1,2\n'))).rejects.toThrow(/other\.csv: No column contains email/);
});

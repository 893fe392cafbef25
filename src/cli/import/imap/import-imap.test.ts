import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasDovecot, startDovecot } from '../../../testing/servers/dovecot.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { runImport } from '../../../testing/fixtures/run-import.ts';

let world: MailWorld;
let folder: string;
beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
  folder = mkdtempSync(join(tmpdir(), 'posthorn-import-'));
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Account {
  port: number;
  user: string;
  password: string;
}

/** Creates a mailbox on our own server and returns it as an account of an email app. */
async function ownAccount(): Promise<Account & { id: string; address: string }> {
  const box = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  return { ...box, port: world.server.imapPort, user: box.address, password: body.password };
}

async function connectTo({ port, user, password }: Account): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    tls: { rejectUnauthorized: false },
    auth: { user, pass: password },
    logger: false,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function importInto(target: { address: string }, source: Account, more: string[] = [], host = '127.0.0.1') {
  const file = join(folder, `password-${source.port}`);
  writeFileSync(file, `${source.password}\n`);
  return runImport(world.server, [
    'imap',
    '--team',
    String(world.team.teamId),
    '--mailbox',
    target.address,
    '--url',
    `imap://${host}:${source.port}?tls=unverified`,
    '--user',
    source.user,
    '--password-file',
    file,
    ...more,
  ]);
}

const DATE = new Date('2011-03-04T05:06:07Z');

function mail(subject: string, id: string | null = subject): string {
  const name = id === null ? '' : `Message-ID: <${id.replaceAll(/\W/g, '-')}@old.example>\r\n`;
  return `From: Bea <bea@example.org>\r\nTo: ada@old.example\r\nSubject: ${subject}\r\n${name}\r\nBody of ${subject}\r\n`;
}

/** Returns everything that an import copies, without the values that differ between servers. */
async function contentOf(account: Account) {
  const client = await connectTo(account);
  const found: Record<string, unknown[]> = {};
  for (const { path, flags } of await client.list()) {
    if (flags.has('\\Noselect')) continue;
    const { exists } = await client.mailboxOpen(path, { readOnly: true });
    const range = exists === 0 ? [] : '1:*';
    const messages = await client.fetchAll(range, { flags: true, internalDate: true, source: true });
    found[path] = messages.map(({ flags: set, internalDate, source }) => ({
      flags: [...set!].filter((flag) => flag !== '\\Recent').toSorted(),
      date: new Date(internalDate!).toISOString(),
      source: source!.toString(),
    }));
  }
  await client.logout();
  return found;
}

describe('from our own server', () => {
  test('brings folders, flags, keywords and dates, and twice is the same as once', async () => {
    const [source, target] = [await ownAccount(), await ownAccount()];
    const client = await connectTo(source);
    await client.mailboxCreate('Projekte/Größe');
    await client.append('INBOX', mail('One'), ['\\Seen', '$Forwarded', 'urgent'], DATE);
    await client.append('INBOX', mail('Two'), ['\\Flagged', '\\Answered'], DATE);
    await client.append('INBOX', mail('Twin', null), [], DATE);
    await client.append('INBOX', mail('Twin', null), [], DATE);
    await client.append('Sent', mail('Three'), ['\\Seen'], DATE);
    await client.append('Spam', mail('Four'), [], DATE);
    await client.append('Drafts', mail('Five'), ['\\Draft'], DATE);
    await client.append('Projekte/Größe', mail('Re: One', 'six'), [], DATE);
    expect(await importInto(target, source, ['--dry-run'])).toMatch(/INBOX → INBOX +4 +4 +0 +0\n/);
    expect((await contentOf(target)).INBOX).toEqual([]);
    expect(await importInto(target, source)).toMatch(/Projekte\/Größe → Projekte\/Größe +1 +1 +0 +0/);
    const once = await contentOf(source);
    expect(await contentOf(target)).toEqual(once);
    expect(once.INBOX![0]).toMatchObject({
      flags: ['$Forwarded', '\\Seen', 'urgent'],
      date: DATE.toISOString(),
    });
    expect(await importInto(target, source)).toMatch(/INBOX → INBOX +4 +0 +4 +0\n/);
    expect(await contentOf(target)).toEqual(once);
    // New messages arrive, and changes that people made here stay.
    const own = await connectTo(target);
    await own.mailboxOpen('INBOX');
    await own.messageMove('1', 'Archive');
    await client.append('INBOX', mail('Seven'), [], DATE);
    expect(await importInto(target, source)).toMatch(/INBOX → INBOX +5 +1 +4 +0\n/);
    expect(await contentOf(target)).toMatchObject({ Archive: [once.INBOX![0]] });
    await client.logout();
    await own.logout();
  });

  test('two imports at the same time bring every message once', async () => {
    const [source, target] = [await ownAccount(), await ownAccount()];
    const client = await connectTo(source);
    for (let at = 0; at < 20; at += 1) await client.append('INBOX', mail(`Number ${at}`), [], DATE);
    await client.logout();
    await Promise.all([importInto(target, source), importInto(target, source)]);
    expect((await contentOf(target)).INBOX).toHaveLength(20);
  });

  test('only into a mailbox of the team, and only with an account', async () => {
    const source = await ownAccount();
    await expect(importInto({ address: 'nobody@harbour.test' }, source)).rejects.toThrow('Mailbox not found');
    const args = ['imap', '--team', String(world.other.teamId), '--mailbox', source.address];
    const url = ['--url', `imap://127.0.0.1:${source.port}`, '--user', 'x', '--password-file', '/dev/null'];
    await expect(runImport(world.server, [...args, ...url])).rejects.toThrow('The password is empty');
    writeFileSync(join(folder, 'some'), 'x');
    await expect(
      runImport(world.server, [...args, ...url.slice(0, -1), join(folder, 'some')]),
    ).rejects.toThrow('Mailbox not found');
    await expect(
      runImport(world.server, [...args, '--url', 'imaps://ada:secret@x', '--user', 'x']),
    ).rejects.toThrow('--url must not have a user or a password');
    await expect(runImport(world.server, [...args, '--url', 'https://x', '--user', 'x'])).rejects.toThrow(
      '--url must look like',
    );
    await expect(
      importInto(source, { ...source, port: world.server.imapsPort }, ['--url', `imaps://127.0.0.1:1`]),
    ).rejects.toThrow(/127\.0\.0\.1:1 failed: .*ECONNREFUSED/);
  });

  test('a wrong password and a certificate that is not valid are named', async () => {
    const source = await ownAccount();
    await expect(importInto(source, { ...source, password: 'wrong' })).rejects.toThrow(
      /refused the login of box\d+@harbour.test: .*app password/,
    );
    const url = ['--url', `imaps://127.0.0.1:${world.server.imapsPort}`];
    await expect(importInto(source, source, url)).rejects.toThrow(/certificate of .* is not valid/);
  });
});

describe('from a server that fails', () => {
  const servers: Server[] = [];
  let hangUp: () => void;
  afterAll(() => servers.forEach((server) => server.close()));

  /** Starts a server that responds to each line of the client. Null closes the connection. */
  async function fake(answer: (line: string, tag: string, connection: number) => string | null) {
    let connections = 0;
    const server = createServer((socket) => {
      hangUp = () => socket.destroy();
      const connection = (connections += 1);
      socket.on('error', () => {});
      socket.write('* OK [CAPABILITY IMAP4rev1] Ready\r\n');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
        for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
          const line = text.slice(0, end);
          text = text.slice(end + 2);
          const reply = answer(line.slice(line.indexOf(' ') + 1), line.split(' ')[0]!, connection);
          if (reply === null) return void socket.destroy();
          socket.write(reply.replaceAll('\n', '\r\n'));
        }
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, user: 'ada', password: 'sesame' };
  }

  const LISTED = '* LIST (\\HasNoChildren) "." INBOX\n* LIST (\\HasNoChildren) "." "Old.A/B%"\n';

  /** Responds like a server with one message for each UID in its inbox. */
  function oldServer(line: string, tag: string, uids: number[]): string {
    if (/^LIST|^LSUB/.test(line)) return `${line.startsWith('LSUB') ? '' : LISTED}${tag} OK\n`;
    if (/^(?:SELECT|EXAMINE)/.test(line))
      return `* ${line.includes('INBOX') ? uids.length : 0} EXISTS\n* OK [UIDVALIDITY 1] x\n* OK [UIDNEXT 99] x\n${tag} OK [READ-ONLY] x\n`;
    if (line.includes('BODY.PEEK[]')) {
      const asked = /FETCH ([\d,:]+)/.exec(line)![1]!;
      const [low, high = low] = asked.split(/[,:]/).map(Number);
      return uids
        .filter((uid) => uid >= low! && uid <= Math.max(high!, ...asked.split(/[,:]/).map(Number)))
        .map((uid) => {
          const raw = mail(`Number ${uid}`);
          return `* ${uid} FETCH (UID ${uid} FLAGS (\\Recent) INTERNALDATE "04-Mar-2011 05:06:07 +0000" BODY[] {${raw.length}}\n${raw.replaceAll('\r\n', '\n')})\n`;
        })
        .concat(`${tag} OK\n`)
        .join('');
    }
    if (line.includes('FETCH'))
      return uids
        .map((uid) => {
          const header = `Message-ID: <Number-${uid}@old.example>\n\n`;
          return `* ${uid} FETCH (UID ${uid} RFC822.SIZE ${uid === 9 ? 9e9 : 100} INTERNALDATE "04-Mar-2011 05:06:07 +0000" BODY[HEADER.FIELDS (MESSAGE-ID)] {${header.length + 2}}\n${header})\n`;
        })
        .concat(`${tag} OK\n`)
        .join('');
    return `${line.startsWith('CAPABILITY') ? '* CAPABILITY IMAP4rev1\n' : ''}${tag} OK\n`;
  }

  test('a server that hangs up before the login is named', async () => {
    const [target, source] = [await ownAccount(), await fake(() => null)];
    await expect(importInto(target, source)).rejects.toThrow(
      /127\.0\.0\.1:\d+ closed the connection\. Run the same command again to continue\./,
    );
  });

  test('a server that hangs up at the first message is named', async () => {
    const source = await fake((line, tag) =>
      line.includes('BODY.PEEK[]') ? null : oldServer(line, tag, [1]),
    );
    await expect(importInto(await ownAccount(), source)).rejects.toThrow('closed the connection');
  });

  test('a server that hangs up after some messages is asked for the rest', async () => {
    const target = await ownAccount();
    const source = await fake((line, tag, connection) => {
      const reply = oldServer(line, tag, [1, 2, 3]);
      const breaksOff = connection === 1 && line.includes('BODY.PEEK[]');
      return breaksOff ? reply.slice(0, reply.indexOf('* 2 FETCH') + 20) : reply;
    });
    const printed = importInto(target, source);
    await expect.poll(() => world.messageCount(target.id)).toBe(1);
    hangUp();
    expect(await printed).toMatch(/INBOX → INBOX +3 +2 +1 +0/);
    expect((await contentOf(target)).INBOX).toHaveLength(3);
  });

  test('names that we do not allow are changed, and messages that are too large are listed', async () => {
    const source = await fake((line, tag) => oldServer(line, tag, [1, 9]));
    const target = await ownAccount();
    const printed = await importInto(target, source);
    expect(printed).toContain('INBOX, UID 9: has 9000000000 bytes');
    expect(Object.keys(await contentOf(target))).toContain('Old/A_B_');
    expect((await contentOf(target)).INBOX).toHaveLength(1);
  });

  test('dates, flags and texts that no honest server sends do not end the import, and twice is the same as once', async () => {
    const target = await ownAccount();
    const source = await fake((line, tag) =>
      oldServer(line, tag, [1, 2, 3])
        .replaceAll('"04-Mar-2011 05:06:07 +0000"', '"31-Dec-9999 23:59:59 -9900"')
        .replaceAll('(\\Recent)', `(\\Recent \\What &AAA- ${'k'.repeat(300)} \\Seen)`)
        .replaceAll('Body of Number 2', 'Body\0of Number 2'),
    );
    expect(await importInto(target, source)).toMatch(/INBOX → INBOX +3 +3 +0 +0/);
    expect(await importInto(target, source)).toMatch(/INBOX → INBOX +3 +0 +3 +0/);
    expect((await contentOf(target)).INBOX).toMatchObject([
      { flags: ['&-AAA-', '\\Seen'] },
      { source: expect.stringContaining('Body') },
      {},
    ]);
  });

  test('a password is sent without encryption only to this machine', async () => {
    const heard: string[] = [];
    const source = await fake((line, tag) => {
      heard.push(line);
      return oldServer(line, tag, []);
    });
    await expect(importInto(await ownAccount(), source, [], '0.0.0.0')).rejects.toThrow();
    expect(heard.filter((line) => /sesame|LOGIN/.test(line))).toEqual([]);
  });
});

describe.skipIf(!hasDovecot())('from Dovecot', () => {
  test('brings everything once, with its special folders', async () => {
    const dovecot = await startDovecot();
    try {
      const client = await connectTo(dovecot);
      await client.mailboxCreate('Kunden.Prüfung');
      await client.append('INBOX', mail('One'), ['\\Seen', '$Label1'], DATE);
      await client.append('Gesendet', mail('Two'), ['\\Seen'], DATE);
      await client.append('Junk', mail('Three'), [], DATE);
      await client.append('Kunden.Prüfung', mail('Four'), ['\\Flagged'], DATE);
      await client.logout();
      const target = await ownAccount();
      await importInto(target, dovecot);
      const [theirs, ours] = [await contentOf(dovecot), await contentOf(target)];
      expect(ours.INBOX).toEqual(theirs.INBOX);
      expect(ours.Sent).toEqual(theirs.Gesendet);
      expect(ours.Spam).toEqual(theirs.Junk);
      expect(ours['Kunden/Prüfung']).toEqual(theirs['Kunden.Prüfung']);
      expect(await importInto(target, dovecot)).toMatch(/INBOX → INBOX +1 +0 +1 +0/);
      expect(await contentOf(target)).toEqual(ours);
    } finally {
      await dovecot.close();
    }
  });
});

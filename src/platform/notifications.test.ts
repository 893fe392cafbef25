import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { startNotifications, type Listener } from './notifications.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('empty');
});
afterAll(() => database.drop());

function listenTo(channel: string): Listener {
  return { channel, onNotification: () => {}, onGap: () => {} };
}

/** Stands before the database and knows who is connected; while it `holds`, nothing that they say gets through. */
async function startDoorman() {
  // As the driver reads the URL, which may name the folder of a socket.
  const { host, port } = new pg.Client({ connectionString: database.url });
  const isFolder = host.startsWith('/');
  const guests = new Set<Socket>();
  const held: (() => void)[] = [];
  const doorman = { guests, holds: false, url: '', letIn: () => held.forEach((letIn) => letIn()) };
  const server = createServer((guest) => {
    const inside = isFolder ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    guests.add(guest);
    guest.on('close', () => guests.delete(guest));
    for (const [one, other] of [
      [guest, inside],
      [inside, guest],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    inside.pipe(guest);
    const letIn = () => void guest.pipe(inside);
    if (doorman.holds) held.push(letIn);
    else letIn();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String((server.address() as AddressInfo).port));
  doorman.url = url.href;
  return { doorman, close: () => server.close() };
}

test('a connection on which listening fails is closed', async () => {
  const { doorman, close } = await startDoorman();
  // There is no channel without a name.
  await expect(startNotifications(doorman.url, [listenTo('')], () => {})).rejects.toThrow('zero-length');
  await expect.poll(() => doorman.guests.size).toBe(0);
  close();
});

test('closing while a lost connection is being replaced leaves none behind', async () => {
  const { doorman, close } = await startDoorman();
  const notifications = await startNotifications(doorman.url, [listenTo('news')], () => {});
  const [first] = doorman.guests;
  doorman.holds = true;
  first!.destroy();
  await expect.poll(() => doorman.guests.size === 1 && !doorman.guests.has(first!)).toBe(true);
  await notifications.close();
  doorman.letIn();
  await expect.poll(() => doorman.guests.size).toBe(0);
  expect(notifications.isListening()).toBe(false);
  close();
});

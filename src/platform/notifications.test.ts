import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDoorman } from '../testing/doorman.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { openDatabase } from './database.ts';
import { startNotifications, type Listener } from './notifications.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('empty');
});
afterAll(() => database.drop());

function listenTo(channel: string): Listener {
  return { channel, onNotification: () => {}, onGap: () => {} };
}

function fails(text: string): () => never {
  return () => {
    throw new Error(text);
  };
}

const quiet = { onError: () => {}, onListenerError: () => {} };

test('an error of one listener is reported, and the others hear all the same', async () => {
  const heard: string[] = [];
  const reported: unknown[] = [];
  const listeners = [
    { channel: 'news', onNotification: fails('bad news'), onGap: fails('bad gap') },
    {
      channel: 'news',
      onNotification: (payload: string) => heard.push(payload),
      onGap: () => heard.push('gap'),
    },
  ];
  const notifications = await startNotifications(database.url, listeners, {
    ...quiet,
    onListenerError: (error) => reported.push((error as Error).message),
  });
  const { pool, close } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await pool.query(`notify news, 'hello'`);
  await close();
  await expect.poll(() => heard).toEqual(['gap', 'hello']);
  expect(reported).toEqual(['bad gap', 'bad news']);
  await notifications.close();
});

test('a connection on which listening fails is closed', async () => {
  const { doorman, close } = await startDoorman(database.url);
  // There is no channel without a name.
  await expect(startNotifications(doorman.url, [listenTo('')], quiet)).rejects.toThrow('zero-length');
  await expect.poll(() => doorman.guests.size).toBe(0);
  close();
});

test('closing while a lost connection is being replaced leaves none behind', async () => {
  const { doorman, close } = await startDoorman(database.url);
  const notifications = await startNotifications(doorman.url, [listenTo('news')], quiet);
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

test('a connection that is cut off without a word is noticed and replaced', async () => {
  const { doorman, close } = await startDoorman(database.url);
  const heard: string[] = [];
  let gaps = 0;
  const listener = {
    channel: 'news',
    onNotification: (payload: string) => heard.push(payload),
    onGap: () => (gaps += 1),
  };
  const notifications = await startNotifications(doorman.url, [listener], { ...quiet, askMs: 500 });
  doorman.cutOff();
  // One when it was there, one when it was lost, and one when it was back.
  await expect.poll(() => gaps, { timeout: 20_000 }).toBe(3);
  const { pool, close: closePool } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await pool.query(`notify news, 'after'`);
  await closePool();
  await expect.poll(() => heard).toEqual(['after']);
  await notifications.close();
  close();
});

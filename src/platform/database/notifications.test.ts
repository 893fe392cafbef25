import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabaseProxy } from '../../testing/servers/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
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

test('an error in one listener is reported, and the other listeners still get the notification', async () => {
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
  const { proxy, close } = await startDatabaseProxy(database.url);
  // PostgreSQL rejects a channel without a name.
  await expect(startNotifications(proxy.url, [listenTo('')], quiet)).rejects.toThrow('zero-length');
  await expect.poll(() => proxy.guests.size).toBe(0);
  close();
});

test('closing while a lost connection is being replaced leaves no connection open', async () => {
  const { proxy, close } = await startDatabaseProxy(database.url);
  const notifications = await startNotifications(proxy.url, [listenTo('news')], quiet);
  const [first] = proxy.guests;
  proxy.holds = true;
  first!.destroy();
  await expect.poll(() => proxy.guests.size === 1 && !proxy.guests.has(first!)).toBe(true);
  await notifications.close();
  proxy.letIn();
  await expect.poll(() => proxy.guests.size).toBe(0);
  expect(notifications.isListening()).toBe(false);
  close();
});

test('a silently lost connection is detected and replaced', async () => {
  const { proxy, close } = await startDatabaseProxy(database.url);
  const heard: string[] = [];
  let gaps = 0;
  const listener = {
    channel: 'news',
    onNotification: (payload: string) => heard.push(payload),
    onGap: () => (gaps += 1),
  };
  const notifications = await startNotifications(proxy.url, [listener], { ...quiet, checkMs: 500 });
  proxy.cutOff();
  // One gap at the first connection, one when it is lost, and one when it is back.
  await expect.poll(() => gaps).toBe(3);
  const { pool, close: closePool } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await pool.query(`notify news, 'after'`);
  await closePool();
  await expect.poll(() => heard).toEqual(['after']);
  await notifications.close();
  close();
});

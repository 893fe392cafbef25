import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryShare, type Reservation } from './memory-share.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A share of 100 bytes. */
function setUp() {
  const share = createMemoryShare(100);
  const dropped: string[] = [];
  const granted = new Map<string, Reservation | null>();
  return {
    dropped,
    granted,
    reserve(name: string, bytes: number, client = 'client'): void {
      void share.reserve(client, bytes, () => dropped.push(name)).then((one) => granted.set(name, one));
    },
    elapse: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    /** Lets time pass while the named body receives bytes every second. */
    async send(name: string, bytesPerSecond: number, seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        granted.get(name)!.receive(bytesPerSecond);
        await vi.advanceTimersByTimeAsync(1_000);
      }
    },
  };
}

test('bodies that do not fit wait in order until others are done', async () => {
  const { reserve, granted, elapse } = setUp();
  for (const [name, bytes] of [
    ['a', 60],
    ['b', 40],
    ['large', 90],
    ['small', 10],
  ] as const)
    reserve(name, bytes);
  await elapse(0);
  expect([...granted.keys()]).toEqual(['a', 'b']);
  granted.get('b')!.release();
  granted.get('b')!.release();
  await elapse(0);
  expect([...granted.keys()]).toEqual(['a', 'b']);
  granted.get('a')!.release();
  await elapse(0);
  expect([...granted.keys()]).toEqual(['a', 'b', 'large', 'small']);
});

test('a client with many bodies lets others take turns', async () => {
  const { reserve, granted, elapse } = setUp();
  for (const name of ['a1', 'a2', 'a3', 'a4']) reserve(name, 90, 'a');
  reserve('b1', 90, 'b');
  reserve('c1', 90, 'c');
  reserve('b2', 90, 'b');
  const order: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    await elapse(0);
    const [name, reservation] = [...granted].at(-1)!;
    order.push(name);
    reservation!.release();
  }
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('a body that is larger than the share is read alone, also when it grows', async () => {
  const { reserve, granted, elapse } = setUp();
  reserve('small', 1);
  reserve('huge', 5_000);
  await elapse(0);
  expect([...granted.keys()]).toEqual(['small']);
  expect(granted.get('small')!.grow(200)).toBe(true);
  granted.get('small')!.release();
  await elapse(0);
  expect([...granted.keys()]).toEqual(['small', 'huge']);
});

test('without space in time a body is rejected, and those behind it get their turn', async () => {
  const { reserve, granted, dropped, elapse } = setUp();
  reserve('working', 90);
  await elapse(0);
  granted.get('working')!.arrived();
  reserve('waiting', 20);
  await elapse(1_000);
  reserve('small', 10);
  await elapse(28_000);
  expect([...granted.keys()]).toEqual(['working']);
  await elapse(2_000);
  expect(granted.get('waiting')).toBeNull();
  expect(granted.get('small')).toBeTruthy();
  expect(dropped).toEqual([]);
});

test('a silent client keeps its memory until others wait', async () => {
  const { reserve, granted, dropped, elapse } = setUp();
  reserve('silent', 90);
  await elapse(60_000);
  expect(dropped).toEqual([]);
  reserve('waiting', 20);
  await elapse(0);
  expect(dropped).toEqual(['silent']);
  expect(granted.get('waiting')).toBeTruthy();
  expect(granted.get('silent')!.grow(1)).toBe(false);
});

test('several silent clients are dropped one after the other, each after three seconds', async () => {
  const { reserve, granted, dropped, elapse } = setUp();
  for (const name of ['first', 'second', 'honest']) reserve(name, 90);
  await elapse(2_000);
  expect(dropped).toEqual([]);
  await elapse(2_000);
  expect(dropped).toEqual(['first']);
  await elapse(3_000);
  expect(dropped).toEqual(['first', 'second']);
  expect(granted.get('honest')).toBeTruthy();
});

test('a body that would take more than twenty seconds gives way, a faster one does not', async () => {
  const { reserve, granted, dropped, elapse, send } = setUp();
  reserve('fast', 90);
  await elapse(0);
  reserve('slow', 90);
  await send('fast', 6, 15);
  expect(dropped).toEqual([]);
  granted.get('fast')!.release();
  await elapse(0);
  reserve('waiting', 90);
  await send('slow', 3, 4);
  expect(dropped).toEqual(['slow']);
  expect(granted.get('waiting')).toBeTruthy();
});

test('a body of unknown size grows while there is space', async () => {
  const { reserve, granted, elapse } = setUp();
  reserve('a', 50);
  reserve('b', 10);
  await elapse(0);
  expect(granted.get('b')!.grow(40)).toBe(true);
  expect(granted.get('b')!.grow(1)).toBe(false);
  granted.get('a')!.release();
  expect(granted.get('b')!.grow(1)).toBe(true);
});

import { expect, test } from 'vitest';
import { createRoom } from './room.ts';

/** Works that end when they are told to. */
function openRoom(size: number) {
  const inRoom = createRoom(size);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    enter: (name: string, bytes: number) =>
      inRoom(bytes, () => {
        begun.push(name);
        return new Promise<string>((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve(name))),
        );
      }),
    end: (name: string, error?: Error) => ends.get(name)!(error),
  };
}

test('works that fit go at once, the others in the order in which they came', async () => {
  const room = openRoom(100);
  const all = [room.enter('a', 60), room.enter('b', 40), room.enter('c', 50), room.enter('d', 10)];
  await Promise.resolve();
  expect(room.begun).toEqual(['a', 'b']);
  room.end('b');
  await expect(all[1]).resolves.toBe('b');
  // There is room for d, but c was here first.
  expect(room.begun).toEqual(['a', 'b']);
  room.end('a');
  await all[0];
  expect(room.begun).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) room.end(name);
  await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c', 'd']);
});

test('what is larger than the room goes alone', async () => {
  const room = openRoom(100);
  const all = [room.enter('small', 1), room.enter('huge', 500), room.enter('next', 1)];
  await Promise.resolve();
  expect(room.begun).toEqual(['small']);
  room.end('small');
  await all[0];
  expect(room.begun).toEqual(['small', 'huge']);
  room.end('huge');
  await all[1];
  expect(room.begun).toEqual(['small', 'huge', 'next']);
  room.end('next');
  await all[2];
});

test('work that fails gives its room back', async () => {
  const room = openRoom(10);
  const failing = room.enter('failing', 10);
  const next = room.enter('next', 10);
  await Promise.resolve();
  room.end('failing', new Error('No.'));
  await expect(failing).rejects.toThrow('No.');
  expect(room.begun).toEqual(['failing', 'next']);
  room.end('next');
  await expect(next).resolves.toBe('next');
});

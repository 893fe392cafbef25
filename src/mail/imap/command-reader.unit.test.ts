import { expect, test } from 'vitest';
import { CommandReader, type ReaderEvent } from './command-reader.ts';

function read(bytes: string, pieces = 1): ReaderEvent[] {
  const reader = new CommandReader({ lineBytes: 1_000, literalBytes: () => 100 });
  const events: ReaderEvent[] = [];
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    reader.feed(Buffer.from(bytes.slice(at, at + size), 'latin1'));
    for (let event = reader.next(); event; event = reader.next()) {
      events.push(event);
      if (event.kind === 'fatal') return events;
    }
  }
  return events;
}

test.each([1, 2, 7, 1_000])('commands are the same in %i pieces', (pieces) => {
  const events = read('a LOGIN {3}\r\nx y {2+}\r\n\r\n z\r\nb NOOP\nc X ~{1}\r\n\0\r\n', pieces);
  expect(events).toEqual([
    { kind: 'literal', bytes: 3, waits: true },
    { kind: 'literal', bytes: 2, waits: false },
    {
      kind: 'command',
      command: { text: 'a LOGIN \0 \0 z', literals: [Buffer.from('x y'), Buffer.from('\r\n')] },
    },
    { kind: 'command', command: { text: 'b NOOP', literals: [] } },
    { kind: 'literal', bytes: 1, waits: true },
    { kind: 'command', command: { text: 'c X ~\0', literals: [Buffer.from('\0')] } },
  ]);
});

test('values that are too large are rejected', () => {
  expect(read('a X {101}\r\nb NOOP\r\n').map(({ kind }) => kind)).toEqual(['too-large', 'command']);
  expect(read('a X {101+}\r\n')).toMatchObject([{ kind: 'fatal' }]);
  expect(read('x'.repeat(1_001))).toMatchObject([{ kind: 'fatal' }]);
  expect(read('a X\0\r\n')).toMatchObject([{ kind: 'fatal' }]);
});

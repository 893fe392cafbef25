import { expect, test } from 'vitest';
import { startFastSink } from './smtp-sink/smtp-fast-sink.ts';
import { openTestSession, testMessage } from './clients/smtp-session.ts';
import { SinkBody } from './smtp-sink/smtp-sink-body.ts';
import { startSmtpSink } from './smtp-sink.ts';

test('a body comes out the same however it was cut', () => {
  for (const [sent, expected] of [
    ['.\r\n', ''],
    ['a\r\n..b\r\n...\r\nc\r\n.\r\n', 'a\r\n.b\r\n..\r\nc\r\n'],
    ['..\r\n.\r\n', '.\r\n'],
    ['a\n.\nb\r\n.\r\n', 'a\n.\nb\r\n'],
  ] as const)
    for (let cut = 0; cut <= sent.length; cut++) {
      const body = new SinkBody();
      const rest = 'QUIT\r\n';
      const taken =
        body.add(Buffer.from(sent.slice(0, cut))) ?? body.add(Buffer.from(sent.slice(cut) + rest));
      expect(taken!.data.toString()).toBe(expected);
    }
});

test('a large message arrives as it was sent', async () => {
  const sink = await startSmtpSink();
  const { session } = await openTestSession(sink);
  const line = Buffer.from(`..${'x'.repeat(70)}\r\n.\r\n`);
  const chunks = [Buffer.concat(Array.from({ length: 200_000 }, () => line))];
  expect((await session!.send(testMessage({ chunks }))).failure).toBeNull();
  expect(sink.messages[0]!.data.equals(chunks[0]!)).toBe(true);
  await session!.close();
  await sink.close();
});

test('the fast sink counts every message', async () => {
  const sink = await startFastSink();
  const { session } = await openTestSession({ host: '127.0.0.1', port: sink.port });
  const large = [Buffer.alloc(500_000, 'a line\r\n'), Buffer.from('.\r\n')];
  for (const chunks of [large, [Buffer.from('x')], large])
    expect((await session!.send(testMessage({ chunks }))).failure).toBeNull();
  expect(sink.messages).toBe(3);
  await session!.close();
  await sink.close();
});

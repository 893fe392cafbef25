/**
 * The limit of delivery: sends the same bytes from memory to the same receiver over as many connections. It signs with
 * the async `crypto.sign` on all cores if Posthorn signs, and pipelines fully: the envelope of the next message follows
 * the data of the previous one. There is no database, no queue and no outcome.
 */
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createDkimSigner, type DkimSigner } from '../src/mail/auth/dkim.ts';
import { answerQuestions } from './forked.ts';

export interface LimitOrder {
  port: number;
  messages: number;
  message: string;
  /** Null for unsigned messages. */
  privateKey: string | null;
  connections: number;
}

const ENVELOPE = 'MAIL FROM:<bounce@bench.test> BODY=8BITMIME\r\nRCPT TO:<someone@example.org>\r\nDATA\r\n';
/** The number of concurrent signatures, to keep the thread pool busy. */
const SIGNED_AHEAD = 16;

answerQuestions(async (question) => {
  const order = question as LimitOrder;
  const raw = Buffer.from(order.message);
  const signer = order.privateKey
    ? createDkimSigner({
        domain: 'bench.test',
        selector: 'ph1',
        privateKey: createPrivateKey(order.privateKey),
      })
    : null;
  const next = createSource(raw, signer, order.messages);
  await Promise.all(Array.from({ length: order.connections }, () => deliver(order.port, next)));
  return {};
});

function createSource(raw: Buffer, signer: DkimSigner | null, count: number): () => Promise<Buffer[]> | null {
  let left = count;
  const ahead: Promise<Buffer[]>[] = [];
  function prepare(): void {
    if (left === 0) return;
    left -= 1;
    ahead.push(signer ? signer.sign(raw).then((signature) => [signature, raw]) : Promise.resolve([raw]));
  }
  for (let at = 0; at < SIGNED_AHEAD; at++) prepare();
  return () => {
    prepare();
    return ahead.shift() ?? null;
  };
}

async function deliver(port: number, next: () => Promise<Buffer[]> | null): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let replies = '';
  let wanted = '';
  let wake: (() => void) | null = null;
  socket.on('data', (bytes: Buffer) => {
    replies += bytes.toString('latin1');
    if (replies.includes(wanted)) wake?.();
  });
  async function hear(reply: string): Promise<void> {
    wanted = reply;
    if (!replies.includes(reply)) await new Promise<void>((resolve) => (wake = resolve));
    replies = replies.slice(replies.indexOf(reply) + reply.length);
  }
  await hear('220 ');
  socket.write('EHLO bench.test\r\n');
  await hear('250 SIZE');
  let message = next();
  if (message) socket.write(ENVELOPE);
  while (message) {
    const pieces = await message;
    await hear('354 ');
    message = next();
    socket.cork();
    for (const piece of pieces) socket.write(piece);
    socket.write(message ? `\r\n.\r\n${ENVELOPE}` : '\r\n.\r\n');
    socket.uncork();
  }
  await hear('250 2.0.0');
  socket.end('QUIT\r\n');
}

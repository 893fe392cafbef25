/**
 * A mail server that only counts messages, as cheaply as possible, for benchmarks in which the receiver shares the
 * machine with the server under test. It assumes that the client follows RFC 2920 (nothing is sent after DATA before
 * 354), that no message is empty, and that BDAT has one chunk with the whole message.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface FastSink {
  port: number;
  messages: number;
  bytes: number;
  /** The time at which the last message was complete, as `performance.now()`. */
  lastAt: number;
  /** How many messages each recipient got, once somebody has set it to a map. */
  recipients: Map<string, number> | null;
  close(): Promise<void>;
}

const HELLO =
  '250-fast.test\r\n250-PIPELINING\r\n250-CHUNKING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 104857600\r\n';
const END_OF_BODY = Buffer.from('\r\n.\r\n');
const LF = 10;
const LETTER = { B: 66, D: 68, E: 69, Q: 81, R: 82 };
const LONGEST_TAIL = END_OF_BODY.length - 1;

export async function startFastSink(): Promise<FastSink> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    serve(socket, sink);
  });
  const sink: FastSink = {
    port: 0,
    messages: 0,
    bytes: 0,
    lastAt: 0,
    recipients: null,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  sink.port = (server.address() as AddressInfo).port;
  return sink;
}

function serve(socket: Socket, sink: FastSink): void {
  let isInBody = false;
  /** The bytes of the current BDAT chunk that have not arrived yet. */
  let bytesLeft = 0;
  let tail: Buffer | null = null;
  socket.write('220 fast.test ESMTP\r\n');
  socket.on('data', (bytes: Buffer) => {
    sink.bytes += bytes.length;
    const data = tail ? Buffer.concat([tail, bytes]) : bytes;
    tail = null;
    let answer = '';
    let start = 0;
    function take(): void {
      sink.messages += 1;
      sink.lastAt = performance.now();
      answer += '250 2.0.0 Ok\r\n';
    }
    while (start < data.length) {
      if (bytesLeft > 0) {
        const taken = Math.min(bytesLeft, data.length - start);
        start += taken;
        bytesLeft -= taken;
        if (bytesLeft === 0) take();
        continue;
      }
      const end = isInBody ? data.indexOf(END_OF_BODY, start) : data.indexOf(LF, start);
      if (end === -1) {
        // In a body, keep only the bytes that may begin its end; in a command, keep everything.
        tail = data.subarray(isInBody ? Math.max(start, data.length - LONGEST_TAIL) : start);
        break;
      }
      if (isInBody) {
        start = end + END_OF_BODY.length;
        isInBody = false;
        take();
        continue;
      }
      const letter = data[start];
      if (letter === LETTER.R && sink.recipients)
        countRecipient(sink.recipients, data.toString('latin1', start, end));
      if (letter === LETTER.B)
        bytesLeft = Number.parseInt(data.toString('latin1', start + 'BDAT '.length, end), 10);
      start = end + 1;
      if (bytesLeft > 0) continue;
      if (letter === LETTER.E) answer += HELLO;
      else if (letter === LETTER.D) {
        isInBody = true;
        answer += '354 Go\r\n';
      } else if (letter === LETTER.Q) answer += '221 Bye\r\n';
      else answer += '250 2.1.0 Ok\r\n';
    }
    if (answer !== '') socket.write(answer);
  });
}

/** Counts the address of an RCPT command, and ignores RSET. */
function countRecipient(recipients: Map<string, number>, line: string): void {
  if (!line.startsWith('RCPT')) return;
  const address = line.slice(line.indexOf('<') + 1, line.indexOf('>'));
  recipients.set(address, (recipients.get(address) ?? 0) + 1);
}

/**
 * A mail server on loopback that records messages and can be told to misbehave (see smtp-sink-behaviour.ts). It shares
 * no code with our client, so that both implement the RFCs independently.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { TEST_CERTIFICATE, TEST_KEY } from './servers/certificate.ts';
import { NORMAL, type SinkBehaviour, type SinkRecord } from './smtp-sink/smtp-sink-behaviour.ts';
import { SinkSession } from './smtp-sink/smtp-sink-session.ts';

export interface SmtpSink extends Readonly<SinkRecord> {
  host: string;
  port: number;
  connections: { open: number; most: number; total: number };
  /** Changes the given settings, for open connections too. */
  behave(changes: Partial<SinkBehaviour>): void;
  /** Restores the initial state: closes open connections and discards all records. */
  reset(): void;
  /** Resolves once this many messages have been accepted; fails after the time limit. */
  waitForMessages(count: number, timeoutMs?: number): Promise<void>;
  /** Closes every open connection. */
  cut(): void;
  /** Refuses new connections and closes the open ones. */
  stopListening(): Promise<void>;
  /** Listens on the same port again. Does nothing if it already listens. */
  listenAgain(): Promise<void>;
  close(): Promise<void>;
}

const POLL_MS = 5;

export async function startSmtpSink(
  options: { behaviour?: Partial<SinkBehaviour>; implicitTls?: boolean; host?: string; port?: number } = {},
): Promise<SmtpSink> {
  const { implicitTls = false, host = '127.0.0.1' } = options;
  const record: SinkRecord = {
    behaviour: { ...NORMAL, ...options.behaviour },
    messages: [],
    refused: [],
    commands: [],
  };
  const connections = { open: 0, most: 0, total: 0 };
  const sockets = new Set<Socket>();

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    connections.total += 1;
    connections.open += 1;
    connections.most = Math.max(connections.most, connections.open);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
    if (connections.open > record.behaviour.mostConnections) {
      socket.end('421 4.7.0 Too many connections\r\n');
      return;
    }
    const secured = { isServer: true, key: TEST_KEY, cert: TEST_CERTIFICATE };
    const stream = implicitTls ? new TLSSocket(socket, secured) : socket;
    new SinkSession(stream, record, connections.total, implicitTls).greet();
  });

  function listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  }

  function stopListening(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      cut();
    });
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  await listen(options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    get behaviour() {
      return record.behaviour;
    },
    messages: record.messages,
    refused: record.refused,
    commands: record.commands,
    host,
    port,
    connections,
    behave(changes) {
      record.behaviour = { ...record.behaviour, ...changes };
    },
    reset() {
      cut();
      record.behaviour = { ...NORMAL, ...options.behaviour };
      for (const list of [record.messages, record.refused, record.commands]) list.length = 0;
    },
    waitForMessages: (count, timeoutMs = 5000) => waitForMessages(record, count, timeoutMs),
    cut,
    stopListening,
    listenAgain: async () => (server.listening ? undefined : listen(port)),
    close: stopListening,
  };
}

async function waitForMessages({ messages }: SinkRecord, count: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (messages.length < count) {
    if (Date.now() > deadline) throw new Error(`${messages.length} messages came, ${count} were expected.`);
    await wait(POLL_MS);
  }
}

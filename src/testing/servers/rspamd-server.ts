/** A stand-in for rspamd: it records what it is asked and taught, and answers what a test wants. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface RspamdRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RspamdServer {
  url: string;
  requests: RspamdRequest[];
  /** The status and body of the next answers to /checkv2. */
  answer: { status: number; body: unknown };
  close(): Promise<void>;
}

export async function startRspamdServer(): Promise<RspamdServer> {
  const requests: RspamdRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url!;
      requests.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const isCheck = path === '/checkv2';
      const { status, body } = isCheck ? own.answer : { status: 200, body: { success: true } };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own: RspamdServer = {
    url: `http://:sesame@127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: { status: 200, body: { score: 0, required_score: 15, action: 'no action', symbols: {} } },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return own;
}

/** Forwards requests to a server and records the responses, for clients that do not expose them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface RecordedAnswer {
  method: string;
  /** The path with its query. */
  path: string;
  status: number;
  body: string;
}

export interface RecordingProxy {
  url: string;
  answers: RecordedAnswer[];
  close(): void;
}

const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'expect',
]);

/** `target` is a function if the server starts later. */
export async function startRecordingProxy(target: string | (() => string)): Promise<RecordingProxy> {
  const answers: RecordedAnswer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url: path = '/' } = request;
      const headers = Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name));
      const body = await buffer(request);
      const answer = await fetch((typeof target === 'string' ? target : target()) + path, {
        method,
        headers: headers as [string, string][],
        body: method === 'GET' || method === 'HEAD' ? undefined : new Uint8Array(body),
        redirect: 'manual',
      });
      const text = await answer.text();
      answers.push({ method, path, status: answer.status, body: text });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The limit of the tracking endpoints: a plain node:http server that always sends the same bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './forked.ts';

/** The recorded responses of Posthorn, by path. */
export type TrackingLimitOrder = Record<
  string,
  { status: number; headers: Record<string, string>; body: string }
>;

const LONGEST_REST_MS = 120_000;

answerQuestions(async (question) => {
  const answers = new Map(
    Object.entries(question as TrackingLimitOrder).map(([path, { status, headers, body }]) => [
      path,
      { status, headers, body: Buffer.from(body, 'base64') },
    ]),
  );
  const server = createServer((request, response) => {
    const { status, headers, body } = answers.get(request.url!)!;
    response.writeHead(status, headers);
    response.end(body);
  });
  // A connection is idle while the other side is measured.
  server.keepAliveTimeout = LONGEST_REST_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
});

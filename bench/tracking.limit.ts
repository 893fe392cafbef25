/** The limit of the tracking endpoints: a bare node:http server that answers the same bytes to everybody. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './forked.ts';

/** What Posthorn was seen to answer, by the path that it is asked for under. */
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
  // A connection rests while the other side has its round.
  server.keepAliveTimeout = LONGEST_REST_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
});

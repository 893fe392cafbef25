/** A webhook endpoint on loopback that records its requests and can be told to misbehave. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { listEventTypes } from '../../features/webhooks/events.ts';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Null if the body is a form. */
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
}

/** Checks that each payload has exactly the fields that are documented for its type. */
export function expectDocumentedFields(payloads: { type: string; data: object }[]): void {
  const { items } = listEventTypes();
  for (const { type, data } of payloads) {
    const documented = items.find((item) => item.type === type)!.fields.map(({ name }) => name);
    expect({ type, fields: Object.keys(data).toSorted() }).toEqual({ type, fields: documented.toSorted() });
  }
}

type Answering = (call: ReceivedCall, response: ServerResponse) => void;

export interface WebhookReceiver {
  port: number;
  url: string;
  calls: ReceivedCall[];
  /** The highest number of concurrent calls so far. */
  mostAtOnce: number;
  /** Sets the response of later calls. A number is a status without a body. */
  answer(how: number | Answering): void;
  /** Resolves once this many calls have arrived since the start or the last `forget`. */
  waitForCalls(count: number): Promise<ReceivedCall[]>;
  forget(): void;
  close(): Promise<void>;
}

function answerWith(status: number): Answering {
  return (_, response) => response.writeHead(status).end();
}

const POLL_MS = 5;
const PATIENCE_MS = 15_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let answering = answerWith(200);
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, underWay);
    response.on('close', () => (underWay -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const isForm = request.headers['content-type']?.startsWith('multipart/');
      const json: unknown = isForm ? null : JSON.parse(body);
      const call = { path: request.url!, headers: request.headers, body, json };
      calls.push(call);
      answering(call, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    mostAtOnce: 0,
    answer(how) {
      answering = typeof how === 'number' ? answerWith(how) : how;
    },
    async waitForCalls(count) {
      const deadline = Date.now() + PATIENCE_MS;
      while (calls.length < count) {
        if (Date.now() > deadline) throw new Error(`${calls.length} calls came, ${count} were expected.`);
        await wait(POLL_MS);
      }
      return calls;
    },
    forget() {
      calls.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
  return receiver;
}

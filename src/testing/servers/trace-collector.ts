/** An OpenTelemetry collector on loopback that keeps the spans it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number; message?: string };
}

interface ExportRequest {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

export interface TraceCollector {
  url: string;
  spans: ReceivedSpan[];
  /** The path and the headers of each request. */
  requests: { path: string; authorization: string | undefined; type: string | undefined }[];
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const requests: TraceCollector['requests'] = [];
  const server = createServer((incoming, outgoing) => {
    const { authorization, 'content-type': type } = incoming.headers;
    requests.push({ path: incoming.url!, authorization, type });
    async function receive(): Promise<void> {
      const body = await text(incoming);
      const { resourceSpans } = JSON.parse(body) as ExportRequest;
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }
    void receive();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An HTTP server that responds in the shapes of another vendor's API, from a table of paths. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface VendorAnswer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Returns the body of a 200, another response, or undefined for 404. */
type Answering = (path: string, query: URLSearchParams, request: IncomingMessage) => unknown;

export class OtherAnswer implements VendorAnswer {
  status: number;
  body: unknown;
  headers: Record<string, string>;

  constructor(status: number, body: unknown = {}, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export interface VendorServer {
  url: string;
  /** The requested paths with their queries, in order. */
  requests: string[];
  close(): Promise<void>;
}

export async function startVendorServer(answering: Answering): Promise<VendorServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    const { pathname, searchParams } = new URL(request.url!, 'http://vendor');
    const found = answering(decodeURIComponent(pathname), searchParams, request);
    const { status, headers, body } =
      found instanceof OtherAnswer
        ? found
        : found === undefined
          ? new OtherAnswer(404, { message: 'Not found' })
          : new OtherAnswer(200, found);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

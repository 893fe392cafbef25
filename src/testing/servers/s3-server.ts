/** A small S3 server in memory. It checks signatures, and lists two objects at a time. */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { signRequest, type Credentials } from '../../platform/object-store/sign-request.ts';

const PAGE = 2;

interface Stored {
  content: Buffer;
  modified: Date;
}

type Reply = [status: number, body?: Buffer | string];

export async function startS3Server(bucket: string, credentials: Credentials) {
  const objects = new Map<string, Stored>();

  function answer(request: IncomingMessage, body: Buffer): Reply {
    const { pathname, searchParams } = new URL(request.url!, 'http://s3');
    if (!isSigned(request, body, credentials)) return refuse(403, 'SignatureDoesNotMatch');
    const [, inBucket, ...path] = pathname.split('/');
    if (inBucket !== bucket) return refuse(404, 'NoSuchBucket');
    const key = path.map(decodeURIComponent).join('/');
    if (key === '') return [200, writeList(objects, Object.fromEntries(searchParams))];
    if (request.method === 'PUT') objects.set(key, { content: body, modified: new Date() });
    if (request.method === 'DELETE') {
      objects.delete(key);
      return [204];
    }
    const found = objects.get(key);
    if (!found) return refuse(404, 'NoSuchKey');
    return [200, request.method === 'GET' ? found.content : ''];
  }

  const server = createServer((request, response) => {
    async function respond(): Promise<void> {
      const [status, content = ''] = answer(request, await buffer(request));
      response.writeHead(status).end(content);
    }
    // A request that the client has aborted gets no response.
    respond().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function refuse(status: number, code: string): Reply {
  return [status, `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`];
}

function isSigned(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  credentials: Credentials,
): boolean {
  const { pathname, searchParams } = new URL(url!, 'http://s3');
  const time = String(headers['x-amz-date']).replace(
    /^(....)(..)(..T..)(..)(..Z)$/,
    (_, year, month, day, minute, second) => `${year}-${month}-${day}:${minute}:${second}`,
  );
  const query = Object.fromEntries(searchParams);
  const bodyHash = hash('sha256', body, 'hex');
  const request = { method: method!, host: headers.host!, path: pathname, query, headers: {}, bodyHash };
  return signRequest(request, credentials, new Date(time)).authorization === headers.authorization;
}

function writeList(objects: Map<string, Stored>, query: Record<string, string>): string {
  const after = query['continuation-token'] ?? '';
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(query.prefix ?? '') && key > after)
    .toSorted();
  const page = keys.slice(0, PAGE).map((key) => {
    const modified = objects.get(key)!.modified.toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified></Contents>`;
  });
  const next = `<NextContinuationToken>${keys[PAGE - 1]}</NextContinuationToken>`;
  const isCut = keys.length > PAGE;
  return `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${isCut ? next : ''}${page.join('')}</ListBucketResult>`;
}

/** AWS Signature Version 4 for requests whose body is known in advance, as S3 and compatible servers check it. */
import { createHmac, hash } from 'node:crypto';

export interface Credentials {
  accessKey: string;
  secretKey: string;
  region: string;
}

export interface UnsignedRequest {
  method: string;
  host: string;
  /** The path as it is sent, encoded with `encodePart`. */
  path: string;
  query: Record<string, string>;
  /** The names must be in lower case. All of them are signed. */
  headers: Record<string, string>;
  /** The SHA-256 of the body in hexadecimal. */
  bodyHash: string;
}

export const EMPTY_HASH = hash('sha256', '', 'hex');

/** Returns the headers to send, including the signature. The client adds `host`, which is signed too. */
export function signRequest(
  request: UnsignedRequest,
  { accessKey, secretKey, region }: Credentials,
  at: Date,
): Record<string, string> {
  const time = at.toISOString().replaceAll(/[:-]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const headers = { ...request.headers, 'x-amz-content-sha256': request.bodyHash, 'x-amz-date': time };
  const signed = Object.entries({ ...headers, host: request.host }).toSorted(byName);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    request.path,
    writeQuery(request.query),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    request.bodyHash,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical, 'hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(mac, `AWS4${secretKey}`);
  const signature = mac(key, text).toString('hex');
  const credential = `Credential=${accessKey}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names},Signature=${signature}`,
  };
}

/** The query as it is signed and sent: sorted, and encoded according to RFC 3986. */
export function writeQuery(query: Record<string, string>): string {
  return Object.entries(query)
    .toSorted(byName)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .join('&');
}

/** Encodes everything but the unreserved characters of RFC 3986. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

function mac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

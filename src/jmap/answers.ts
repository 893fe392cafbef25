/** Responses of the JMAP door: JSON, and problems (RFC 7807) for requests that fail as a whole. */
import type { MountedAnswer } from '../platform/mounted-door.ts';

const PRIVATE = { 'cache-control': 'private, no-store' };

export function answerJson(value: unknown, status = 200): MountedAnswer {
  return answerText(JSON.stringify(value), status);
}

/** A response whose JSON text already exists. */
export function answerText(body: string, status = 200): MountedAnswer {
  return { status, headers: { ...PRIVATE, 'content-type': 'application/json' }, body };
}

/** Thrown when a request fails as a whole. `type` is the last part of the URN in RFC 8620 section 3.6.1. */
export class RequestProblem extends Error {
  readonly status: number;
  readonly type: string;
  readonly more: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    type: string,
    detail: string,
    { more = {}, headers = {} }: { more?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.status = status;
    this.type = type;
    this.more = more;
    this.headers = headers;
  }
}

export function answerProblem({ status, type, message, more, headers }: RequestProblem): MountedAnswer {
  const urn = type === 'about:blank' ? type : `urn:ietf:params:jmap:error:${type}`;
  return {
    status,
    headers: { ...PRIVATE, 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: urn, status, detail: message, ...more }),
  };
}

export function overLimit(limit: string, detail: string): RequestProblem {
  return new RequestProblem(400, 'limit', detail, { more: { limit } });
}

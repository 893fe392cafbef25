/**
 * JMAP (RFC 8620, RFC 8621): the door for email apps that speak HTTP. It is mounted on the HTTP server. Its methods
 * call the same operations as webmail and IMAP.
 */
import { createMailboxWatcher } from '../features/mailboxes/email-apps/mailbox-watcher.ts';
import { toAppError } from '../platform/database/database-errors.ts';
import { needsLogging, type ErrorCode } from '../platform/errors.ts';
import type { MountedAnswer, MountedDoor, MountedRequest } from '../platform/mounted-door.ts';
import { answerJson, answerProblem, RequestProblem } from './answers.ts';
import { serveApi } from './api.ts';
import { authenticate, type Authenticated } from './authenticate.ts';
import { openEvents } from './events.ts';
import { download, upload } from './files.ts';
import { createRequestLimits } from './calls/limits.ts';
import { describeSession } from './session.ts';
import type { JmapTools } from './calls/tools.ts';

export interface JmapDoor extends MountedDoor {
  close(): void;
}

type Serve = (tools: JmapTools, request: MountedRequest, by: Authenticated) => Promise<MountedAnswer>;

const PATHS: { prefix: string; isExact: boolean; method: 'GET' | 'POST'; serve: Serve }[] = [
  { prefix: '/.well-known/jmap', isExact: true, method: 'GET', serve: serveSession },
  { prefix: '/jmap/api', isExact: true, method: 'POST', serve: serveApi },
  { prefix: '/jmap/upload/', isExact: false, method: 'POST', serve: upload },
  { prefix: '/jmap/download/', isExact: false, method: 'GET', serve: download },
  { prefix: '/jmap/events', isExact: true, method: 'GET', serve: openEvents },
];

export function createJmapDoor(options: Omit<JmapTools, 'watcher' | 'limits'>): JmapDoor {
  const { db, facts, errors } = options;
  const watcher = createMailboxWatcher(db, facts.onMailHint, (error) => errors.report('jmap', error));
  const tools: JmapTools = { ...options, watcher, limits: createRequestLimits() };
  return {
    nameOf: (path) => findPath(path)?.prefix ?? null,
    answer: (request) => answer(tools, request),
    close: () => watcher.close(),
  };
}

function findPath(path: string) {
  return PATHS.find(({ prefix, isExact }) => (isExact ? path === prefix : path.startsWith(prefix)));
}

async function answer(tools: JmapTools, request: MountedRequest): Promise<MountedAnswer> {
  try {
    const { method, serve } = findPath(request.path)!;
    const isAllowed = request.method === method || (method === 'GET' && request.method === 'HEAD');
    if (!isAllowed) {
      const allow = method === 'GET' ? 'GET, HEAD' : method;
      throw new RequestProblem(405, 'about:blank', `This path only supports ${allow}.`, {
        headers: { allow },
      });
    }
    return await serve(tools, request, await authenticate(tools, request));
  } catch (error) {
    return answerProblem(error instanceof RequestProblem ? error : toProblem(tools, error));
  }
}

const STATUSES: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
  UNAUTHORIZED: 400,
  METHOD_NOT_ALLOWED: 400,
  CONFLICT: 400,
  already_sent: 400,
  THREAD_CHANGED: 400,
  IDEMPOTENCY_MISMATCH: 400,
  NOT_IMPLEMENTED: 400,
};

function toProblem(tools: JmapTools, thrown: unknown): RequestProblem {
  const error = toAppError(thrown);
  if (needsLogging(error) && error.cause !== undefined)
    tools.log.error({ err: error.cause }, 'jmap: a request failed');
  const seconds = error.retryAfterSeconds;
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return new RequestProblem(STATUSES[error.code], 'about:blank', error.message, { headers });
}

async function serveSession(
  tools: JmapTools,
  _request: MountedRequest,
  { login }: Authenticated,
): Promise<MountedAnswer> {
  return answerJson(describeSession(tools, login));
}

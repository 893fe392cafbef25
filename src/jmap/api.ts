/** Runs the method calls of one request, one after the other (RFC 8620 section 3). */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { resolveReferences, type Invocation, type ReferenceBudget } from '../mail/jmap/result-references.ts';
import { requireLevel } from '../features/api/mailbox-access.ts';
import { toAppError } from '../platform/database/database-errors.ts';
import { AppError, needsLogging, type ErrorCode } from '../platform/errors.ts';
import { isObject } from '../platform/is-object.ts';
import type { MountedAnswer, MountedRequest } from '../platform/mounted-door.ts';
import { answerText, overLimit, RequestProblem } from './answers.ts';
import type { Authenticated } from './authenticate.ts';
import { isId, toAccountId } from './calls/ids.ts';
import { LIMITS } from './calls/limits.ts';
import { createStorageAllowance } from './calls/storage-allowance.ts';
import { METHODS } from './methods.ts';
import { CAPABILITIES, describeSession } from './session.ts';
import { MethodError, type Arguments, type JmapTools, type MethodContext } from './calls/tools.ts';

interface ApiRequest {
  using: string[];
  methodCalls: Invocation[];
  createdIds: Map<string, string> | null;
}

export async function serveApi(
  tools: JmapTools,
  request: MountedRequest,
  { login }: Authenticated,
): Promise<MountedAnswer> {
  const end = tools.limits.begin('request', login.mailboxId);
  if (!end)
    throw overLimit(
      'maxConcurrentRequests',
      `Only ${LIMITS.maxConcurrentRequests} requests can run at once.`,
    );
  try {
    const { using, methodCalls, createdIds } = readRequest(await readBody(request, login.teamId));
    const known = createdIds ?? new Map<string, string>();
    const responses: Invocation[] = [];
    const written: string[] = [];
    const budget = { references: { leftBytes: LIMITS.maxSizeRequest }, leftBytes: MAX_RESPONSE_BYTES };
    const allowance = createStorageAllowance(
      Number(request.header('content-length')) || LIMITS.maxSizeRequest,
    );
    const context = { tools, login, accountId: toAccountId(login), createdIds: known, allowance };
    for (const call of methodCalls) {
      const added = await runCall(context, { using, call, responses, references: budget.references });
      for (const response of added) {
        const text = JSON.stringify(response);
        budget.leftBytes -= text.length;
        const fits = budget.leftBytes >= 0;
        responses.push(fits ? response : tooLarge(call[2]));
        written.push(fits ? text : JSON.stringify(tooLarge(call[2])));
      }
      await yieldEventLoop();
    }
    const rest = {
      sessionState: describeSession(tools, login).state,
      ...(createdIds ? { createdIds: Object.fromEntries(known) } : {}),
    };
    return answerText(`{"methodResponses":[${written.join()}],${JSON.stringify(rest).slice(1)}`);
  } finally {
    end();
  }
}

/** Enough for every email app, and small enough for a small server. */
const MAX_RESPONSE_BYTES = 50_000_000;

function tooLarge(callId: string): Invocation {
  const description = 'The response to this request is too large. Ask for less at once.';
  return ['error', { type: 'requestTooLarge', description }, callId];
}

async function readBody(request: MountedRequest, teamId: number): Promise<unknown> {
  if (!/^application\/json *(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw notJson('The request must have Content-Type: application/json.');
  return request.readJson(LIMITS.maxSizeRequest, teamId).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'TOO_LARGE') throw overLimit('maxSizeRequest', error.message);
    throw error.code === 'BAD_REQUEST' ? notJson(error.message) : error;
  });
}

function notJson(detail: string): RequestProblem {
  return new RequestProblem(400, 'notJSON', detail);
}

function readRequest(body: unknown): ApiRequest {
  if (!isObject(body)) throw notRequest('The request must be an object.');
  const { using, methodCalls, createdIds } = body;
  if (!Array.isArray(using) || !using.every((name) => typeof name === 'string'))
    throw notRequest('using must be a list of capabilities.');
  if (!Array.isArray(methodCalls) || !methodCalls.every(isInvocation))
    throw notRequest('methodCalls must be a list of [name, arguments, id].');
  const unknown = using.find((name) => !CAPABILITIES.includes(name));
  if (unknown !== undefined)
    throw new RequestProblem(
      400,
      'unknownCapability',
      `The capability ${unknown.slice(0, 200)} is not supported.`,
    );
  if (methodCalls.length > LIMITS.maxCallsInRequest)
    throw overLimit(
      'maxCallsInRequest',
      `A request can have at most ${LIMITS.maxCallsInRequest} method calls.`,
    );
  return { using, methodCalls, createdIds: readCreatedIds(createdIds) };
}

function isInvocation(call: unknown): call is Invocation {
  return (
    Array.isArray(call) &&
    call.length === 3 &&
    typeof call[0] === 'string' &&
    isObject(call[1]) &&
    typeof call[2] === 'string'
  );
}

function readCreatedIds(value: unknown): Map<string, string> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw notRequest('createdIds must be an object.');
  const entries = Object.entries(value);
  if (!entries.every((entry): entry is [string, string] => isId(entry[0]) && isId(entry[1])))
    throw notRequest('createdIds must map ids to ids.');
  return new Map(entries);
}

function notRequest(detail: string): RequestProblem {
  return new RequestProblem(400, 'notRequest', detail);
}

interface PlannedCall {
  using: readonly string[];
  call: Invocation;
  /** The responses to the previous calls. */
  responses: readonly Invocation[];
  references: ReferenceBudget;
}

/** Returns the response, and further responses that the method has added. */
async function runCall(
  base: Omit<MethodContext, 'addResponse'>,
  { using, call: [name, args, callId], responses, references }: PlannedCall,
): Promise<Invocation[]> {
  const added: Invocation[] = [];
  const context = { ...base, addResponse: (n: string, a: Arguments) => void added.push([n, a, callId]) };
  try {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name]! : null;
    if (!method || !using.includes(method.capability))
      throw new MethodError(
        'unknownMethod',
        'This method does not exist, or its capability is not in using.',
      );
    if (method.needs) requireLevel(base.login.access, method.needs);
    if (method.needs === 'settings') refuseSettings(base.login);
    const resolved = resolveReferences(args, responses, references);
    if (!resolved)
      throw new MethodError(
        'invalidResultReference',
        'An argument refers to a result that does not exist, or the results are too large.',
      );
    return [[name, await method.run(context, resolved), callId], ...added];
  } catch (error) {
    return [['error', describeError(base.tools, error), callId]];
  }
}

/** Automatic replies and signatures leave without a send policy. */
function refuseSettings({ sender }: MethodContext['login']): void {
  if (sender.policyIds.length > 0)
    throw new AppError(
      'FORBIDDEN',
      'An API key with a send policy cannot change settings. Ask a person to do it.',
    );
}

const TYPES: Record<ErrorCode, string> = {
  BAD_REQUEST: 'invalidArguments',
  NOT_FOUND: 'accountNotFound',
  FORBIDDEN: 'forbidden',
  TOO_LARGE: 'requestTooLarge',
  RATE_LIMITED: 'serverUnavailable',
  UNAVAILABLE: 'serverUnavailable',
  INTERNAL: 'serverFail',
  UNAUTHORIZED: 'invalidArguments',
  METHOD_NOT_ALLOWED: 'invalidArguments',
  CONFLICT: 'invalidArguments',
  already_sent: 'invalidArguments',
  THREAD_CHANGED: 'invalidArguments',
  IDEMPOTENCY_MISMATCH: 'invalidArguments',
  NOT_IMPLEMENTED: 'invalidArguments',
};

function describeError(tools: JmapTools, thrown: unknown): Arguments {
  if (thrown instanceof MethodError) return { type: thrown.type, description: thrown.message };
  const error = toAppError(thrown);
  if (needsLogging(error)) tools.log.error({ err: error.cause ?? error }, 'jmap: a method failed');
  return { type: TYPES[error.code], description: error.message };
}

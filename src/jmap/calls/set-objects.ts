/** Runs a /set call (RFC 8620 section 5.3): creates, updates and destroys objects one by one, and reports each. */
import { z } from 'zod';
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { requireSpace } from '../../features/instance/require-space.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { lookUpError, needsLogging, type ErrorTable } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import { idList, object, readArguments, requireAccount, requireCount } from './arguments.ts';
import { isId } from './ids.ts';
import { checkState, StateMismatch, type Condition } from './if-in-state.ts';
import { LIMITS } from './limits.ts';
import { ObjectError, type Arguments, type MethodContext, type SetError } from './tools.ts';

const setArguments = z.object({
  ifInState: z.string().max(200).nullish(),
  create: object.nullish(),
  update: object.nullish(),
  destroy: idList.nullish(),
});

export interface SetHandlers {
  readState(): Promise<string>;
  /** Returns the properties that the server has set, with the ID. */
  create(input: Arguments, creationId: string): Promise<Arguments & { id: string }>;
  /** Returns the properties that changed differently from the client's request, or null. */
  update(id: string, patch: Arguments): Promise<Arguments | null>;
  destroy(id: string): Promise<void>;
  /** True for an update that must work on a full disk, because it deletes, stops or moves. Others need space. */
  isSmallUpdate?(patch: Arguments): boolean;
}

/** The objects that were changed successfully, for follow-up work. */
export interface SetResult {
  response: Arguments;
  created: Map<string, Arguments & { id: string }>;
  updated: Set<string>;
  destroyed: Set<string>;
}

export async function runSet(
  context: MethodContext,
  args: Arguments,
  handlers: SetHandlers,
): Promise<SetResult> {
  requireAccount(context, args);
  const { ifInState, create, update, destroy } = readArguments(setArguments, args);
  const creations = Object.entries(create ?? {});
  const updates = Object.entries(update ?? {});
  const destroys = [...new Set(destroy ?? [])];
  requireCount(creations.length + updates.length + destroys.length, LIMITS.maxObjectsInSet);
  const condition = await checkState(context, handlers.readState, ifInState);
  const { oldState } = condition;
  const run = createRunner(context, condition);

  const created = new Map<string, Arguments & { id: string }>();
  for (const [creationId, input] of creations) {
    await run('notCreated', creationId, async () => {
      if (!isId(creationId)) throw new ObjectError('invalidProperties', 'The creation ID is not valid.');
      await requireSpace(context.tools.facts, context.login.teamId, 0);
      const result = await handlers.create(requireObject(input), creationId);
      context.createdIds.set(creationId, result.id);
      created.set(creationId, result);
    });
  }
  const updated = new Map<string, Arguments | null>();
  const willDestroy = new Set(destroys.map((id) => resolveId(context, id)));
  for (const [key, patch] of updates) {
    await run('notUpdated', key, async () => {
      const id = resolveId(context, key);
      if (willDestroy.has(id)) throw new ObjectError('willDestroy', 'This call also destroys the object.');
      const changes = requireObject(patch);
      if (!handlers.isSmallUpdate?.(changes))
        await requireSpace(context.tools.facts, context.login.teamId, 0);
      updated.set(key, await handlers.update(id, changes));
    });
  }
  const destroyed: string[] = [];
  for (const key of destroys) {
    await run('notDestroyed', key, async () => {
      const id = resolveId(context, key);
      await handlers.destroy(id);
      destroyed.push(id);
    });
  }
  const response = {
    accountId: context.accountId,
    oldState,
    newState: await handlers.readState(),
    created: orNull(created),
    updated: orNull(updated),
    destroyed: destroyed.length > 0 ? destroyed : null,
    notCreated: orNull(run.failures.notCreated),
    notUpdated: orNull(run.failures.notUpdated),
    notDestroyed: orNull(run.failures.notDestroyed),
  };
  return {
    response,
    created,
    updated: new Set([...updated.keys()].map((key) => resolveId(context, key))),
    destroyed: new Set(destroyed),
  };
}

function createRunner({ tools }: MethodContext, condition: Condition) {
  const failures = {
    notCreated: new Map<string, SetError>(),
    notUpdated: new Map<string, SetError>(),
    notDestroyed: new Map<string, SetError>(),
  };
  async function run(kind: keyof typeof failures, key: string, work: () => Promise<void>): Promise<void> {
    try {
      await condition.hold(work);
    } catch (error) {
      if (error instanceof StateMismatch) throw error;
      failures[kind].set(key, toSetError(tools, error));
    }
    await yieldEventLoop();
  }
  return Object.assign(run, { failures });
}

function requireObject(value: unknown): Arguments {
  if (isObject(value)) return value;
  throw new ObjectError('invalidProperties', 'Expected an object.');
}

/** The response to a creation has only the properties that the client did not send, and the ID. */
export function withoutSent(
  created: Arguments & { id: string },
  input: Arguments,
): Arguments & { id: string } {
  const unsent = Object.entries(created).filter(([name]) => !Object.hasOwn(input, name));
  return { ...Object.fromEntries(unsent), id: created.id };
}

/** `#k1` is the object that was created with the creation ID `k1`. */
export function resolveId({ createdIds }: Pick<MethodContext, 'createdIds'>, id: string): string {
  return id.startsWith('#') ? (createdIds.get(id.slice(1)) ?? id) : id;
}

/** `Object.fromEntries` creates own properties for all names, even `__proto__`. */
function orNull(map: Map<string, unknown>): Record<string, unknown> | null {
  return map.size === 0 ? null : Object.fromEntries(map);
}

const TYPES: ErrorTable<string> = {
  codes: {
    BAD_REQUEST: 'invalidProperties',
    NOT_FOUND: 'notFound',
    CONFLICT: 'invalidProperties',
    FORBIDDEN: 'forbidden',
    TOO_LARGE: 'tooLarge',
    RATE_LIMITED: 'rateLimit',
    UNAVAILABLE: 'serverUnavailable',
    INTERNAL: 'serverFail',
    UNAUTHORIZED: 'invalidProperties',
    METHOD_NOT_ALLOWED: 'invalidProperties',
    already_sent: 'invalidProperties',
    THREAD_CHANGED: 'invalidProperties',
    IDEMPOTENCY_MISMATCH: 'invalidProperties',
    NOT_IMPLEMENTED: 'invalidProperties',
  },
  reasons: {
    'unverified-sender': null,
    'sender-of-another-domain': null,
    'invalid-json': null,
    'inactive-recipients': null,
    'request-in-progress': null,
    'invalid-idempotency-key': null,
    'folder-exists': null,
    'over-quota': 'overQuota',
    'no-such-email': null,
    'no-such-template': null,
    'no-such-bounce': null,
    'blocked-by-policy': 'forbiddenToSend',
  },
};

export function toSetError(tools: MethodContext['tools'], thrown: unknown): SetError {
  if (thrown instanceof ObjectError) return thrown.setError;
  const error = toAppError(thrown);
  if (needsLogging(error))
    tools.log.error({ err: error.cause ?? error }, 'jmap: an object could not be changed');
  return { type: lookUpError(TYPES, error), description: error.message };
}

export function notFound(): ObjectError {
  return new ObjectError('notFound', 'This object does not exist.');
}

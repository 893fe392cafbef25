/**
 * Core/echo (RFC 8620 section 4), and PushSubscription, which clients may call although push to a URL is not offered.
 */
import { z } from 'zod';
import { idList, object, readArguments } from '../calls/arguments.ts';
import type { Arguments, MethodContext } from '../calls/tools.ts';

export function echo(_context: MethodContext, args: Arguments): Arguments {
  return args;
}

export function getPushSubscriptions(_context: MethodContext, args: Arguments): Arguments {
  const { ids } = readArguments(z.object({ ids: idList.nullish() }), args);
  return { list: [], notFound: ids ?? [] };
}

const setArguments = z.object({
  create: object.nullish(),
  update: object.nullish(),
  destroy: idList.nullish(),
});

/** No object exists, and none can be created: clients use the event source instead. */
export function setPushSubscriptions(_context: MethodContext, args: Arguments): Arguments {
  const { create, update, destroy } = readArguments(setArguments, args);
  const refused = { type: 'forbidden', description: 'Push to a URL is not offered. Use eventSourceUrl.' };
  const missing = { type: 'notFound', description: 'This object does not exist.' };
  return {
    created: null,
    updated: null,
    destroyed: null,
    notCreated: refuseAll(Object.keys(create ?? {}), refused),
    notUpdated: refuseAll(Object.keys(update ?? {}), missing),
    notDestroyed: refuseAll(destroy ?? [], missing),
  };
}

function refuseAll(names: string[], error: object): Record<string, object> | null {
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, error]));
}

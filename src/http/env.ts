import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../platform/route.ts';

/** What travels with one request through the HTTP door. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    caller: Caller | undefined;
    /** The pattern of the route that answers, for log and metrics: never the path itself, which may hold a token. */
    routeName: string | undefined;
    errorForm: 'object' | 'string' | undefined;
  };
}

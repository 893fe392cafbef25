import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from '../platform/route.ts';

/** What travels with one request through the HTTP door. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    caller: Caller | undefined;
    /** Of a caller who came by session; goes nowhere but into the browser's cookie. */
    sessionToken: string | undefined;
    /** The pattern of the route that answers, for log and metrics: never the path itself, which may hold a token. */
    routeName: string | undefined;
    errorForm: 'object' | 'string' | undefined;
  };
}

/** A request header as node read it: going through the web's Headers would make all of them anew for each request. */
export function headerOf(c: Context<HttpEnv>, name: string): string | undefined {
  return c.env.incoming.headers[name] as string | undefined;
}

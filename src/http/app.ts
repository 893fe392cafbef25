/** The HTTP door: one table of routes, and around it what every request gets. */
import { Hono, type Context } from 'hono';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ping, toAppError } from '../platform/database.ts';
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { AnyRoute } from '../platform/route.ts';
import { renderDocsPage } from './docs-page.ts';
import type { HttpEnv } from './env.ts';
import { toErrorAnswer } from './error-answer.ts';
import { createHttpMetrics, type HttpMetrics } from './metrics.ts';
import { buildOpenApi } from './openapi.ts';
import { apiRoutes } from './routes.ts';
import { serveRoute, type RouteTools } from './serve-route.ts';
import { renderWelcomePage } from './welcome-page.ts';

export interface HttpTools extends RouteTools {
  pool: pg.Pool;
  log: Log;
  requestLog: Log;
  metricsToken: string | null;
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export function createHttpApp(tools: HttpTools): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const metrics = createHttpMetrics(tools.pool, tools.metricsToken);
  const openApi = buildOpenApi(apiRoutes, tools.facts.baseUrl);
  const openApiText = JSON.stringify(openApi);
  const docsPage = renderDocsPage(openApi);

  app.use(async (c, next) => {
    const startedAt = performance.now();
    // Set before the answer is made: changing the headers of a finished one makes it anew.
    c.header('x-request-id', nameRequest(c));
    c.header('x-content-type-options', 'nosniff');
    await next();
    report(tools.requestLog, metrics, c, performance.now() - startedAt);
  });

  for (const route of apiRoutes) {
    app.on(route.method, toHonoPath(route.path), (c) => {
      c.set('routeName', route.path);
      c.set('errorForm', route.errorForm);
      return serveRoute(tools, route, c);
    });
  }
  for (const [path, allow] of allowedMethods(apiRoutes)) {
    app.all(path, (c) => {
      c.header('allow', allow);
      throw new AppError('METHOD_NOT_ALLOWED', `This path takes only ${allow}.`);
    });
  }

  app.get('/api/v1/openapi.json', (c) => c.body(openApiText, 200, { 'content-type': 'application/json' }));
  app.get('/api/docs', (c) => c.html(docsPage, 200, PAGE_HEADERS));
  app.get('/healthz', async (c) => {
    await ping(tools.db);
    return c.json({ status: 'ok' });
  });
  app.get('/metrics', (c) => metrics.serve(c));
  app.get('/', (c) => c.html(renderWelcomePage(), 200, PAGE_HEADERS));

  app.notFound((c) => {
    throw new AppError(
      'NOT_FOUND',
      `There is nothing at ${c.req.path.slice(0, 200)}. The paths are listed at /api/docs.`,
    );
  });
  app.onError((thrown, c) => {
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE') {
      tools.log.error(
        { requestId: c.get('requestId'), route: c.get('routeName'), err: error.cause },
        error.message,
      );
    }
    const { status, headers, body } = toErrorAnswer(error, c.get('errorForm') ?? 'object');
    return c.body(body, status as 500, headers);
  });
  return app;
}

const processName = randomBytes(6).toString('base64url');
let requests = 0;

/** A caller's own request id is taken over when it is harmless. */
function nameRequest(c: Context<HttpEnv>): string {
  const given = c.req.header('x-request-id');
  const requestId = given && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : `${processName}-${++requests}`;
  c.set('requestId', requestId);
  return requestId;
}

function report(log: Log, metrics: HttpMetrics, c: Context<HttpEnv>, ms: number): void {
  const route = c.get('routeName') ?? 'other';
  const { status } = c.res;
  metrics.observe(c.req.method, route, status, ms / 1000);
  const caller = c.get('caller');
  log.info(
    {
      requestId: c.get('requestId'),
      method: c.req.method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      teamId: caller?.teamId,
      keyId: caller?.keyId,
    },
    'request',
  );
}

function toHonoPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

function allowedMethods(routes: AnyRoute[]): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const honoPath = toHonoPath(path);
    methods.set(honoPath, [
      ...(methods.get(honoPath) ?? []),
      ...(method === 'GET' ? ['GET', 'HEAD'] : [method]),
    ]);
  }
  return new Map([...methods].map(([path, names]) => [path, names.join(', ')]));
}

/** The HTTP door: one table of routes, and around it what every request gets. */
import { Hono, type Context } from 'hono';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ping, toAppError } from '../platform/database.ts';
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { renderDocsPage } from './docs-page.ts';
import { headerOf, type HttpEnv } from './env.ts';
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

  // One handler for each request, and no chain of them: what every request gets is put around it here.
  type Answerer = (c: Context<HttpEnv>) => Response | Promise<Response>;
  const observed = (answerer: Answerer) => async (c: Context<HttpEnv>) => {
    const startedAt = performance.now();
    // Set before the answer is made: changing the headers of a finished one makes it anew.
    c.header('x-request-id', nameRequest(c));
    c.header('x-content-type-options', 'nosniff');
    let response: Response;
    try {
      response = await answerer(c);
    } catch (error) {
      response = answerError(tools.log, c, error);
    }
    report(tools.requestLog, metrics, c, response.status, performance.now() - startedAt);
    return response;
  };

  for (const route of apiRoutes) {
    const answer = observed((c) => {
      c.set('routeName', route.path);
      c.set('errorForm', route.errorForm);
      return serveRoute(tools, route, c);
    });
    app.on(route.method, toHonoPath(route.path), answer);
  }
  const pages: Record<string, Answerer> = {
    '/api/v1/openapi.json': (c) => c.body(openApiText, 200, { 'content-type': 'application/json' }),
    '/api/docs': (c) => c.html(docsPage, 200, PAGE_HEADERS),
    '/healthz': async (c) => {
      await ping(tools.db);
      return c.json({ status: 'ok' });
    },
    '/metrics': (c) => metrics.serve(c),
    '/': (c) => c.html(renderWelcomePage(), 200, PAGE_HEADERS),
  };
  for (const [path, answerer] of Object.entries(pages)) app.get(path, observed(answerer));
  app.notFound(observed(refuseStranger));
  return app;
}

/** No route has this path and method: another method may do, or there is nothing at all. */
function refuseStranger(c: Context<HttpEnv>): never {
  const { path } = c.req;
  const allow = ALLOWED.find(({ pattern }) => pattern.test(path))?.methods;
  if (allow) {
    c.header('allow', allow);
    throw new AppError('METHOD_NOT_ALLOWED', `This path takes only ${allow}.`);
  }
  throw new AppError(
    'NOT_FOUND',
    `There is nothing at ${path.slice(0, 200)}. The paths are listed at /api/docs.`,
  );
}

function answerError(log: Log, c: Context<HttpEnv>, thrown: unknown): Response {
  const error = toAppError(thrown);
  if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE') {
    log.error({ requestId: c.get('requestId'), route: c.get('routeName'), err: error.cause }, error.message);
  }
  const { status, headers, body } = toErrorAnswer(error, c.get('errorForm') ?? 'object');
  return c.body(body, status as 500, headers);
}

const processName = randomBytes(6).toString('base64url');
let requests = 0;

/** A caller's own request id is taken over when it is harmless. */
function nameRequest(c: Context<HttpEnv>): string {
  const given = headerOf(c, 'x-request-id');
  const requestId = given && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : `${processName}-${++requests}`;
  c.set('requestId', requestId);
  return requestId;
}

function report(log: Log, metrics: HttpMetrics, c: Context<HttpEnv>, status: number, ms: number): void {
  const route = c.get('routeName') ?? 'other';
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
      by: caller?.by,
    },
    'request',
  );
}

function toHonoPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** What each path takes. Where two fit, the one without parameters in that place was declared first. */
const ALLOWED = [...new Set(apiRoutes.map(({ path }) => path))].map((path) => ({
  pattern: new RegExp(`^/api${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  methods: apiRoutes
    .filter((route) => route.path === path)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', '),
}));

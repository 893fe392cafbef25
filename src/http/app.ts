/** The HTTP door: one table of what answers, and around it what every request gets. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type pg from 'pg';
import { ping } from '../platform/database.ts';
import { isClash, toAppError } from '../platform/database-errors.ts';
import { AppError, isOurs } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import { renderDocsPage } from './docs-page.ts';
import { toErrorAnswer } from './error-answer.ts';
import { Exchange, type Answer } from './exchange.ts';
import { hasClearHost } from './host-header.ts';
import { createHttpMetrics, type HttpMetrics } from './metrics.ts';
import { buildOpenApi } from './openapi.ts';
import { createPublicRoutes, type PublicTools } from './public/public-routes.ts';
import { createVisitAnswerer, type VisitTools } from './public/visits.ts';
import { createRouteTable } from './route-table.ts';
import { apiRoutes } from './routes.ts';
import { serveRoute, type RouteTools } from './serve-route.ts';
import { loadWebFiles } from './web-files.ts';
import { renderWelcomePage } from './welcome-page.ts';

export interface HttpTools extends RouteTools, PublicTools, VisitTools {
  pool: pg.Pool;
  log: Log;
  errors: UnexpectedErrors;
  requestLog: Log;
  metricsToken: string | null;
  /** Where the built web app is, if not beside the built server. */
  webFolder?: string;
}

/** Answers one request of node's server, at once or later; never throws. */
export type HttpApp = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>;

type Answerer = (exchange: Exchange) => Answer | Promise<Answer>;

const HTML = 'text/html; charset=UTF-8';
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export function createHttpApp(tools: HttpTools): HttpApp {
  const metrics = createHttpMetrics(tools);
  const web = loadWebFiles(tools.webFolder);
  const table = createRouteTable<Answerer>();
  for (const route of apiRoutes) {
    table.add(route.method, `/api${route.path}`, (exchange) => {
      exchange.routeName = route.path;
      exchange.errorForm = route.errorForm;
      return serveRoute(tools, route, exchange);
    });
  }
  for (const [path, answerer] of Object.entries(createPages(tools, metrics)))
    table.add('GET', path, answerer);
  const publicRoutes = createPublicRoutes(tools);
  const answerVisit = createVisitAnswerer(tools);

  function answer(exchange: Exchange): Answer | Promise<Answer> {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const found = table.find(method, exchange.path);
    const open = found ? null : answerPublic(exchange);
    if (open) return open;
    // Whatever the server itself has no answer for may be a page or a file of the web app.
    const page = method === 'GET' && (!found || exchange.path === '/') ? web?.answer(exchange) : null;
    if (page) return page;
    if (!found) return refuseStranger(exchange, table.methodsAt(exchange.path));
    exchange.params = found.params;
    return found.entry(exchange);
  }

  /** Whatever stands behind the path of a public route is for it: a link that was cut deserves a page as well. */
  function answerPublic(exchange: Exchange): Answer | Promise<Answer> | null {
    const route = publicRoutes.find(({ path }) => exchange.path.startsWith(path));
    if (!route) return null;
    exchange.routeName = route.path;
    return route.answer(exchange);
  }

  async function answerRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const exchange = new Exchange(incoming);
    nameRequest(exchange);
    exchange.setHeader('x-content-type-options', 'nosniff');
    let answered: Answer;
    try {
      refuseUnclearHost(incoming, outgoing);
      answered = await answer(exchange);
    } catch (error) {
      answered = answerError(tools.log, exchange, error);
    }
    report(tools.requestLog, metrics, exchange, answered.status, performance.now() - startedAt);
    try {
      await exchange.send(outgoing, answered);
    } catch (error) {
      // The reader has gone, or what was to be read broke off: then he must see that it is not whole.
      tools.log.debug({ requestId: exchange.requestId, err: error }, 'http: an answer was cut off');
      outgoing.destroy();
    }
  }

  return (incoming, outgoing) => {
    const visit = hasClearHost(incoming) ? answerVisit(incoming, outgoing) : null;
    if (!visit) return answerRequest(incoming, outgoing);
    metrics.countVisit(visit.path, visit.status);
  };
}

function createPages(tools: HttpTools, metrics: HttpMetrics): Record<string, Answerer> {
  const openApi = buildOpenApi(apiRoutes, tools.facts.baseUrl);
  const openApiText = JSON.stringify(openApi);
  const docsPage = renderDocsPage(openApi);
  let pinging: Promise<void> | null = null;
  return {
    '/api/v1/openapi.json': (exchange) => exchange.answer(200, 'application/json', openApiText),
    '/api/docs': (exchange) => answerPage(exchange, docsPage),
    '/healthz': async (exchange) => {
      // Those who ask at the same time share one look at the database.
      pinging ??= ping(tools.db).finally(() => (pinging = null));
      await pinging;
      return exchange.answer(200, 'application/json', '{"status":"ok"}');
    },
    '/metrics': (exchange) => metrics.serve(exchange),
    '/': (exchange) => answerPage(exchange, renderWelcomePage()),
  };
}

function answerPage(exchange: Exchange, html: string): Answer {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) exchange.setHeader(name, value);
  return exchange.answer(200, HTML, html);
}

/** The connection ends with the answer: where such a request ends may be as unclear as whom it is for. */
function refuseUnclearHost(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (hasClearHost(incoming)) return;
  outgoing.shouldKeepAlive = false;
  throw new AppError('BAD_REQUEST', 'The request must have one Host header, with a host and a port at most.');
}

/** No route has this path and method: another method may do, or there is nothing at all. */
function refuseStranger(exchange: Exchange, methods: string[]): never {
  if (methods.length > 0) {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    exchange.setHeader('allow', allow);
    throw new AppError('METHOD_NOT_ALLOWED', `This path takes only ${allow}.`);
  }
  throw new AppError(
    'NOT_FOUND',
    `There is nothing at ${exchange.path.slice(0, 200)}. The paths are listed at /api/docs.`,
  );
}

function answerError(log: Log, exchange: Exchange, thrown: unknown): Answer {
  const error = toAppError(thrown);
  if (isOurs(error) || isClash(error.cause)) {
    const { requestId, routeName } = exchange;
    const level = isOurs(error) ? 'error' : 'warn';
    log[level]({ requestId, route: routeName, err: error.cause }, error.message);
  }
  const { status, headers, body } = toErrorAnswer(error, exchange.errorForm ?? 'object');
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  return exchange.answer(status, 'application/json', body);
}

const processName = randomBytes(6).toString('base64url');
let requests = 0;

/** A caller's own request id is taken over when it is harmless. */
function nameRequest(exchange: Exchange): void {
  const given = exchange.requestHeader('x-request-id');
  exchange.requestId = given && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : `${processName}-${++requests}`;
  exchange.setHeader('x-request-id', exchange.requestId);
}

function report(log: Log, metrics: HttpMetrics, exchange: Exchange, status: number, ms: number): void {
  const { requestId, method, routeName: route = 'other', caller } = exchange;
  metrics.observe(method, route, status, ms / 1000);
  log.info(
    {
      requestId,
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      teamId: caller?.teamId,
      by: caller?.by,
    },
    'request',
  );
}

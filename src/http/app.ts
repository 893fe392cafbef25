/** The HTTP application: finds the handler of each request, and adds request IDs, error responses, log and metrics. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LOGGED_BYTES, type RequestLog } from '../features/activity/request-log/request-log.ts';
import { isHeldByAnyTeam } from '../features/sending/domains/find-domain.ts';
import type { HostDirectory, LinkHost } from '../features/deliverability/link-hosts/host-directory.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import { isConflict, toAppError } from '../platform/database/database-errors.ts';
import { AppError, isServerFault, needsLogging } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { MountedDoor } from '../platform/mounted-door.ts';
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { readVisitor } from './routing/authenticate.ts';
import { createCachedText } from './cached-text.ts';
import { renderDocsPage } from './docs/docs-page.ts';
import { DOCS_SCRIPT } from './docs/docs-script.ts';
import { loadGuides } from './guides.ts';
import { compressAnswer } from './requests/compress-answer.ts';
import { toErrorAnswer } from './requests/error-answer.ts';
import { Exchange, type Answer } from './requests/exchange.ts';
import { hasClearHost } from './requests/host-header.ts';
import type { FindForeignHost } from './requests/served-hosts.ts';
import type { OpenApi } from './openapi/document.ts';
import { createHttpMetrics, type HttpMetrics } from './http-metrics.ts';
import { answerMounted } from './mounted.ts';
import { createTlsAllowedPage, TLS_ALLOWED_PATH } from './tls-allowed.ts';
import { createHealthPage, createMetricsPage } from './metrics-page.ts';
import { buildOpenApi } from './openapi/openapi.ts';
import { answerAutoconfig, domainOfHost, isAutoconfigPath } from './public/mail-autoconfig.ts';
import type { PublicTools } from './public/public-route.ts';
import { createPublicRoutes } from './public/public-routes.ts';
import { createMcpAnswerer, MCP_PATH } from './mcp/mcp.ts';
import { createOauthAnswerer } from './oauth/oauth.ts';
import { createVendorAnswerer } from './vendors/vendors.ts';
import { createHostFinder, createLinkHostAnswerer } from './public/link-hosts.ts';
import { createSignOnRoute } from './public/single-sign-on.ts';
import { createVisitAnswerer, type VisitTools } from './public/visits.ts';
import { collapseSlashes, createRouteTable } from './routing/route-table.ts';
import { apiRoutes } from './routes.ts';
import { createReaderFinder } from './routing/audit-call.ts';
import { serveRoute, type RouteTools } from './routing/serve-route.ts';
import { traceRequest } from './trace-request.ts';
import { loadWebFiles, sendFile } from './web-files.ts';
import { renderWelcomePage } from './pages/welcome-page.ts';

export interface HttpTools extends Omit<RouteTools, 'findReader'>, PublicTools, VisitTools {
  log: Log;
  errors: UnexpectedErrors;
  requestLog: Log;
  requests: RequestLog;
  metricsToken: string | null;
  disk: DiskSpace;
  jmap: MountedDoor;
  findForeignHost: FindForeignHost;
  linkHosts: Pick<HostDirectory, 'find'>;
  /** The folder of the built web app, if it is not next to the built server. */
  webFolder?: string;
}

/** Handles one request of node's server. It returns a promise if the response comes later, and never throws. */
export type HttpApp = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>;

type Answerer = (exchange: Exchange) => Answer | Promise<Answer>;

const HTML = 'text/html; charset=UTF-8';
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};
/** The forms of the API page send requests to this server. */
const DOCS_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_HEADERS['content-security-policy']}; connect-src 'self'`,
};

export function createHttpApp(tools: HttpTools): HttpApp {
  const metrics = createHttpMetrics(tools.facts.metrics);
  const web = loadWebFiles(tools.webFolder);
  const routeTools = { ...tools, findReader: createReaderFinder(apiRoutes) };
  const table = createTable(routeTools);
  const publicRoutes = [...createPublicRoutes(tools), createSignOnRoute(tools)];
  const answerVisit = createVisitAnswerer(tools);
  const answerUnderLinkHost = createLinkHostAnswerer(tools, publicRoutes);
  const findHost = createHostFinder(tools);
  const doors = [
    createMcpAnswerer(routeTools, apiRoutes),
    createOauthAnswerer(tools),
    createVendorAnswerer(routeTools),
  ];
  const isSecure = tools.facts.baseUrl.startsWith('https:');

  function answer(exchange: Exchange): Answer | Promise<Answer> {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const found = table.find(method, collapseSlashes(exchange.path));
    const open = found
      ? null
      : (answerPublic(exchange) ??
        answerMounted({ door: tools.jmap, memory: tools.memory }, exchange) ??
        answerFirst(doors, exchange) ??
        answerAutoconfig(tools.facts, exchange));
    if (open) return open;
    // A path without a route may be a page or a file of the web app.
    const page = method === 'GET' && (!found || exchange.path === '/') ? web?.answer(exchange) : null;
    if (page) return page;
    if (!found) return refuseUnknown(exchange, table.methodsAt(exchange.path));
    exchange.params = found.params;
    return found.entry(exchange);
  }

  /** A public route handles every path with its prefix, so that a truncated link gets a page too. */
  function answerPublic(exchange: Exchange): Answer | Promise<Answer> | null {
    const route = publicRoutes.find(({ path }) => exchange.path.startsWith(path));
    if (!route) return null;
    exchange.routeName = route.path;
    return route.answer(exchange);
  }

  async function answerRequest(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    linkHost: LinkHost | undefined,
  ): Promise<void> {
    const startedAt = performance.now();
    const exchange = new Exchange(incoming);
    nameRequest(exchange);
    exchange.linkHost = linkHost;
    exchange.setHeader('x-content-type-options', 'nosniff');
    if (isSecure) exchange.setHeader('strict-transport-security', 'max-age=31536000');
    let answered: Answer;
    try {
      refuseUnclearHost(incoming, outgoing);
      answered =
        (await answerUnderLinkHost(exchange)) ??
        (await refuseForeignHost(tools, exchange)) ??
        (await answer(exchange));
    } catch (error) {
      answered = answerError(tools.log, exchange, error);
    }
    report(tools, metrics, exchange, answered, performance.now() - startedAt);
    try {
      await exchange.send(outgoing, await compressAnswer(exchange, answered));
    } catch (error) {
      // The client has disconnected, or the body failed. Closing the connection shows that the response is incomplete.
      tools.log.debug({ requestId: exchange.requestId, err: error }, 'http: a response was cut off');
      outgoing.destroy();
    }
  }

  return (incoming, outgoing) => {
    const { linkHost, servesLinks } = findHost(incoming);
    const visit = servesLinks ? answerVisit(incoming, outgoing, linkHost?.teamId ?? null) : null;
    if (!visit) return answerRequest(incoming, outgoing, linkHost);
    metrics.countVisit(visit.path, visit.status);
  };
}

/** The first door that knows the path answers. */
function answerFirst(
  doors: ((exchange: Exchange) => Promise<Answer> | null)[],
  exchange: Exchange,
): Promise<Answer> | null {
  for (const door of doors) {
    const answered = door(exchange);
    if (answered) return answered;
  }
  return null;
}

/** The routes of the API and the pages of this folder. */
function createTable(tools: HttpTools & RouteTools) {
  const table = createRouteTable<Answerer>();
  for (const route of apiRoutes) {
    table.add(route.method, `/api${route.path}`, (exchange) => {
      exchange.routeName = route.path;
      exchange.errorForm = route.errorForm;
      return traceRequest(tools.facts.tracer, exchange, () => serveRoute(tools, route, exchange));
    });
  }
  for (const [path, answerer] of Object.entries(createPages(tools))) table.add('GET', path, answerer);
  return table;
}

function createPages(tools: HttpTools): Record<string, Answerer> {
  // Built when first requested.
  let openApi: Promise<OpenApi> | undefined;
  const getOpenApi = () => (openApi ??= buildOpenApi(apiRoutes, tools.facts.baseUrl));
  return {
    '/api/v1/openapi.json': createCachedText('application/json', async () =>
      JSON.stringify(await getOpenApi()),
    ),
    '/api/docs': createCachedText(HTML, async () => renderDocsPage(await getOpenApi()), DOCS_HEADERS),
    '/api/docs.js': createCachedText('text/javascript; charset=UTF-8', async () => DOCS_SCRIPT),
    '/healthz': createHealthPage(tools),
    '/metrics': createMetricsPage(tools.facts.metrics, tools.metricsToken),
    [TLS_ALLOWED_PATH]: createTlsAllowedPage(tools),
    '/': (exchange) => answerPage(exchange, renderWelcomePage()),
    ...createGuides(),
  };
}

function createGuides(): Record<string, Answerer> {
  const pages = [...loadGuides()].map(([path, file]): [string, Answerer] => [
    path,
    (exchange) => {
      exchange.routeName = '/docs/*';
      return sendFile(exchange, file, { ...PAGE_HEADERS, 'cache-control': 'no-cache' });
    },
  ]);
  return Object.fromEntries(pages);
}

function answerPage(exchange: Exchange, html: string): Answer {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) exchange.setHeader(name, value);
  return exchange.answer(200, HTML, html);
}

/** Closes the connection after the response, because the end of such a request may also be ambiguous. */
function refuseUnclearHost(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (hasClearHost(incoming)) return;
  outgoing.shouldKeepAlive = false;
  throw new AppError(
    'BAD_REQUEST',
    'The request must have exactly one Host header with a host and an optional port.',
  );
}

/** Returns 421 (RFC 9110 section 15.5.20) for a request under the name of another site; otherwise null. */
async function refuseForeignHost(
  { db, findForeignHost }: HttpTools,
  exchange: Exchange,
): Promise<Answer | null> {
  const host = findForeignHost(exchange.incoming, exchange.path);
  if (host === null || (isAutoconfigPath(exchange.path) && (await isHeldByAnyTeam(db, domainOfHost(host)))))
    return null;
  const message = `This server is not known as "${host.slice(0, 253)}". Use the host of BASE_URL, or add this one to ALLOWED_HOSTS.`;
  return exchange.answer(
    421,
    'application/json',
    JSON.stringify({ error: { code: 'BAD_REQUEST', message } }),
  );
}

/** Throws 405 if the path exists with other methods, otherwise 404. */
function refuseUnknown(exchange: Exchange, methods: string[]): never {
  if (methods.length > 0) {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    exchange.setHeader('allow', allow);
    throw new AppError('METHOD_NOT_ALLOWED', `This path only supports ${allow}.`);
  }
  const path = exchange.path.slice(0, 200);
  const hint = /^\/v1(?:\/|$)/.test(path)
    ? `The API is under /api: call /api${path}.`
    : 'See /api/docs for the available paths.';
  throw new AppError('NOT_FOUND', `No such path: ${path}. ${hint}`);
}

function answerError(log: Log, exchange: Exchange, thrown: unknown): Answer {
  const error = toAppError(thrown);
  if (needsLogging(error) || isConflict(error.cause)) {
    const { requestId, routeName } = exchange;
    // Without a cause nothing failed, and the server is only too busy.
    const level = isServerFault(error) && error.cause !== undefined ? 'error' : 'warn';
    log[level]({ requestId, route: routeName, err: error.cause }, error.message);
  }
  const { status, headers, body } = toErrorAnswer(error, exchange.errorForm ?? 'object', (name) =>
    exchange.requestHeader(name),
  );
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  return exchange.answer(status, 'application/json', body);
}

const processName = randomBytes(6).toString('base64url');
let requests = 0;

/** Uses the caller's own request ID if it is safe to log. */
function nameRequest(exchange: Exchange): void {
  const ownId = exchange.requestHeader('x-request-id');
  exchange.requestId = ownId && /^[A-Za-z0-9_-]{1,64}$/.test(ownId) ? ownId : `${processName}-${++requests}`;
  exchange.setHeader('x-request-id', exchange.requestId);
}

function report(
  tools: HttpTools,
  metrics: HttpMetrics,
  exchange: Exchange,
  { status, body }: Answer,
  ms: number,
): void {
  const { requestId, method, path, routeName: route = 'other', caller } = exchange;
  metrics.observe(method, route, status, ms / 1000);
  if (caller?.person === null) {
    tools.requests.note({
      teamId: caller.teamId,
      keyId: caller.by,
      requestId,
      method,
      path,
      route,
      status,
      ms,
      userAgent: exchange.requestHeader('user-agent') ?? null,
      contentType: exchange.requestHeader('content-type') ?? null,
      requestBody: exchange.sentBody,
      // Results of tools have the text of mail in places where it cannot be told from other text.
      responseBody:
        route !== MCP_PATH && typeof body === 'string' && body.length <= LOGGED_BYTES ? body : null,
    });
  }
  tools.requestLog.info(
    {
      requestId,
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      teamId: caller?.teamId,
      by: caller?.by,
      // Tools such as fail2ban need the address of clients that guess passwords or keys.
      ip: status === 401 || status === 429 ? readVisitor(exchange).ip : undefined,
    },
    'request',
  );
}

import { toAppError } from '../platform/database/database-errors.ts';
import { isServerFault } from '../platform/errors.ts';
import { addAttributes, type Tracer } from '../platform/telemetry/tracing.ts';
import type { Answer, Exchange } from './requests/exchange.ts';

/**
 * Serves a request in a span, which continues the trace of the client's `traceparent` header. Only a fault of the
 * server counts as an error of the span, as OpenTelemetry requires.
 */
export async function traceRequest(
  tracer: Tracer | null,
  exchange: Exchange,
  serve: () => Promise<Answer>,
): Promise<Answer> {
  if (!tracer) return serve();
  const { method, routeName, requestId } = exchange;
  const attributes = {
    'http.request.method': method,
    'http.route': routeName,
    'posthorn.request_id': requestId,
  };
  const parent = exchange.requestHeader('traceparent');
  const ending = await tracer.trace(
    { name: `${method} ${routeName}`, kind: 'server', parent, attributes },
    () => serveInSpan(serve),
  );
  if ('refusal' in ending) throw ending.refusal;
  return ending.answer;
}

async function serveInSpan(serve: () => Promise<Answer>): Promise<{ answer: Answer } | { refusal: unknown }> {
  try {
    const answer = await serve();
    addAttributes({ 'http.response.status_code': answer.status });
    return { answer };
  } catch (error) {
    const appError = toAppError(error);
    addAttributes({ 'error.type': appError.code });
    if (isServerFault(appError)) throw error;
    return { refusal: error };
  }
}

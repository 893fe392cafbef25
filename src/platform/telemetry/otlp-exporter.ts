/**
 * Sends spans to an OpenTelemetry collector by OTLP over HTTP, as JSON. Traces are best effort: a batch that the
 * collector does not accept is dropped, and the log says so once until the collector accepts one again.
 */
import { hostname } from 'node:os';
import type { Log } from '../log.ts';
import { createTracer, type Attributes, type FinishedSpan, type SpanKind, type Tracer } from './tracing.ts';

const SEND_EVERY_MS = 1_000;
const SEND_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 1_000;
const MAX_BATCH = 512;
/** Further spans are dropped until the collector has accepted some. */
const MAX_WAITING = 4_096;

export interface OtlpOptions {
  /** OTEL_EXPORTER_OTLP_ENDPOINT, to which the path /v1/traces is added. */
  endpoint: string;
  headers: Record<string, string>;
}

export function createOtlpTracer({ endpoint, headers }: OtlpOptions, log: Log): Tracer {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  let waiting: FinishedSpan[] = [];
  let sending: Promise<void> | null = null;
  let isFailing = false;

  async function post(spans: FinishedSpan[], withinMs: number): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(toRequest(spans)),
        signal: AbortSignal.timeout(withinMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The collector responded with ${response.status}.`);
      if (isFailing) log.info('traces: the collector accepts spans again');
      isFailing = false;
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
      if (!isFailing)
        log.warn({ url, reason }, 'traces: the collector does not accept spans; they are dropped');
      isFailing = true;
    }
  }

  async function sendAll(withinMs: number): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await post(batch, withinMs);
    }
  }

  function send(withinMs = SEND_WITHIN_MS): Promise<void> {
    sending ??= sendAll(withinMs).finally(() => (sending = null));
    return sending;
  }

  const timer = setInterval(() => void send(), SEND_EVERY_MS).unref();
  return createTracer(
    (span) => {
      if (waiting.length < MAX_WAITING) waiting.push(span);
    },
    async () => {
      clearInterval(timer);
      let late: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => (late = setTimeout(resolve, CLOSE_WITHIN_MS)));
      await Promise.race([(async () => (await sending, await send(CLOSE_WITHIN_MS)))(), timeout]);
      clearTimeout(late);
    },
  );
}

const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

/** The JSON form of ExportTraceServiceRequest, in which IDs are hexadecimal and 64-bit numbers are text. */
function toRequest(spans: FinishedSpan[]): object {
  const resource = {
    'service.name': 'posthorn',
    'service.instance.id': `${hostname()}:${process.pid}`,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'posthorn' }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan(span: FinishedSpan): object {
  const { traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId ? { parentSpanId } : {}),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toAttributes(attributes),
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

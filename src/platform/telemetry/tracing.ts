/**
 * Traces in the form of OpenTelemetry. A span is created only inside a trace: `withSpan` looks for the current
 * span, and without one it only calls the function. So nothing is created while tracing is off, and features need
 * not know the tracer. W3C Trace Context carries a trace from a client to us and, stored with the email, from us to
 * the worker.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number | boolean | null | undefined>;

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  /** Null if the work succeeded. */
  error: string | null;
}

export interface Tracer {
  /**
   * Runs the work in a span that continues the given trace, or in a new trace if there is none. Runs it without a
   * span if the sender of the trace has decided not to record it.
   */
  trace<Result>(options: SpanOptions, work: () => Promise<Result>): Promise<Result>;
  /** Adds a span of work that is already done to the trace of an email. */
  record(options: SpanOptions & { startedAt: number; endedAt: number }): void;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

interface SpanOptions {
  name: string;
  kind?: SpanKind;
  /** A `traceparent` header or a stored one. An invalid one counts as missing. */
  parent?: string | null | undefined;
  attributes?: Attributes;
}

interface OpenSpan extends Omit<FinishedSpan, 'endedAt'> {
  onEnd(span: FinishedSpan): void;
}

interface Parent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const current = new AsyncLocalStorage<OpenSpan>();
/** W3C Trace Context, section 3.2. Versions after 00 may add fields at the end. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export function now(): number {
  return performance.timeOrigin + performance.now();
}

function readTraceparent(text: string | null | undefined): Parent | null {
  const match = TRACEPARENT.exec(text ?? '');
  if (!match) return null;
  return { traceId: match[1]!, spanId: match[2]!, isSampled: (Number.parseInt(match[3]!, 16) & 1) === 1 };
}

/** Returns the current span as a `traceparent`, or null outside of a trace. */
export function currentTraceparent(): string | null {
  const span = current.getStore();
  return span ? `00-${span.traceId}-${span.spanId}-01` : null;
}

/** Adds attributes to the current span that are known only later. */
export function addAttributes(attributes: Attributes): void {
  const span = current.getStore();
  if (span) Object.assign(span.attributes, attributes);
}

/** Runs the work in a child of the current span. Outside of a trace it only runs the work. */
export function withSpan<Result>(
  name: string,
  work: () => Promise<Result>,
  kind: SpanKind = 'internal',
): Promise<Result> {
  const parent = current.getStore();
  if (!parent) return work();
  const span = openSpan(name, kind, parent, {}, parent.onEnd);
  return runIn(span, work);
}

export function createTracer(onEnd: (span: FinishedSpan) => void, close: () => Promise<void>): Tracer {
  return {
    trace({ name, kind = 'internal', parent: text, attributes = {} }, work) {
      const parent = readTraceparent(text);
      if (parent && !parent.isSampled) return work();
      return runIn(openSpan(name, kind, parent, attributes, onEnd), work);
    },
    record({ name, kind = 'internal', parent: text, attributes = {}, startedAt, endedAt }) {
      const parent = readTraceparent(text);
      if (parent?.isSampled)
        finish({ ...openSpan(name, kind, parent, attributes, onEnd), startedAt }, endedAt);
    },
    close,
  };
}

function openSpan(
  name: string,
  kind: SpanKind,
  parent: Pick<Parent, 'traceId' | 'spanId'> | null,
  attributes: Attributes,
  onEnd: OpenSpan['onEnd'],
): OpenSpan {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: parent?.spanId ?? null,
    name,
    kind,
    startedAt: now(),
    attributes: { ...attributes },
    error: null,
    onEnd,
  };
}

async function runIn<Result>(span: OpenSpan, work: () => Promise<Result>): Promise<Result> {
  try {
    return await current.run(span, work);
  } catch (error) {
    span.error = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    finish(span, now());
  }
}

function finish({ onEnd, ...span }: OpenSpan, endedAt: number): void {
  onEnd({ ...span, endedAt });
}

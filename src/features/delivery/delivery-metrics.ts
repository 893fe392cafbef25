/** Metrics of this process's delivery worker: attempts and their outcomes, their duration, and signing. */
import { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Facts } from '../instance/facts.ts';
import type { AttemptResult, NotAttempted } from './transports/attempt.ts';
import { nameDestination } from '../sending/egress/large-destinations.ts';

export interface DeliveryMetrics {
  countAttempt(recipientDomain: string, result: AttemptResult | NotAttempted, seconds: number): void;
  observeSigning(seconds: number): void;
}

export function createDeliveryMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  transport: Facts['mailTransport'],
): DeliveryMetrics {
  const attempts = new Counter({
    name: 'posthorn_delivery_attempts_total',
    help: 'Delivery attempts, by transport, destination (a large provider or other) and outcome',
    labelNames: ['transport', 'destination', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'posthorn_delivery_attempt_seconds',
    help: 'Duration of a delivery attempt, with the wait for a connection',
    labelNames: ['transport'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [registry],
  });
  const signing = new Histogram({
    name: 'posthorn_signing_seconds',
    help: 'Time to sign a message with DKIM',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25],
    registers: [registry],
  });
  // All outcomes are exported from the start, so that an alert on an increase also sees the first one.
  for (const outcome of ['delivered', 'deferred', 'bounced', 'suppressed'])
    attempts.inc({ transport, destination: 'other', outcome }, 0);
  return {
    countAttempt(recipientDomain, { outcome, host }, seconds) {
      attempts.inc({ transport, destination: nameDestination(recipientDomain, host), outcome });
      durations.observe({ transport }, seconds);
    },
    observeSigning: (seconds) => signing.observe(seconds),
  };
}

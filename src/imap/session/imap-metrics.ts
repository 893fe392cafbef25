/** Metrics of the IMAP ports: open connections, logins, commands. */
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

export interface ImapMetrics {
  connected(change: 1 | -1): void;
  countLogin(outcome: 'accepted' | 'failed'): void;
  /** `command` must be one of the known names. */
  observe(command: string, outcome: 'OK' | 'NO' | 'BAD', seconds: number): void;
}

export function createImapMetrics({ registry }: Pick<Metrics, 'registry'>): ImapMetrics {
  const connections = new Gauge({
    name: 'posthorn_imap_connections',
    help: 'Open connections of email apps',
    registers: [registry],
  });
  const logins = new Counter({
    name: 'posthorn_imap_logins_total',
    help: 'Logins by IMAP, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const commands = new Histogram({
    name: 'posthorn_imap_command_seconds',
    help: 'Time of IMAP commands, by command and outcome. IDLE is not included',
    labelNames: ['command', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  for (const outcome of ['accepted', 'failed']) logins.inc({ outcome }, 0);
  return {
    connected: (change) => connections.inc(change),
    countLogin: (outcome) => logins.inc({ outcome }),
    observe: (command, outcome, seconds) => commands.observe({ command, outcome }, seconds),
  };
}

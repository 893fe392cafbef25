/** Metrics of the SMTP ports: messages by verdict, rejected commands, logins. */
import type { InboundFolder } from './accept-mail.ts';
import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Reply } from './protocol/error-reply.ts';
import type { HandledCommand, SmtpPort } from './mail-log.ts';

/** The folder of a stored message; `reports` for a report about an email that we sent. */

export interface SmtpMetrics {
  countCommand(port: SmtpPort, command: HandledCommand): void;
  countInbound(folder: InboundFolder): void;
  setSpamFilter(isUp: boolean): void;
}

const PORTS: SmtpPort[] = ['inbound', 'submission'];
/** The commands whose rejections are counted. */
const COMMANDS: Record<string, string> = { onConnect: 'connect', onMailFrom: 'mail', onRcptTo: 'rcpt' };

export function createSmtpMetrics({ registry }: Pick<Metrics, 'registry'>): SmtpMetrics {
  const messages = new Counter({
    name: 'posthorn_smtp_messages_total',
    help: 'Messages that were received completely, by port and verdict',
    labelNames: ['port', 'verdict'],
    registers: [registry],
  });
  const inbound = new Counter({
    name: 'posthorn_inbound_accepted_total',
    help: 'Accepted messages of the inbound port, by where they went',
    labelNames: ['folder'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'posthorn_smtp_refused_commands_total',
    help: 'Refused connections, senders and recipients, by port and command',
    labelNames: ['port', 'command'],
    registers: [registry],
  });
  const logins = new Counter({
    name: 'posthorn_smtp_logins_total',
    help: 'Logins for submission, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const filter = new Gauge({
    name: 'posthorn_spam_filter_up',
    help: '0 while rspamd does not respond and mail is delivered unchecked. 1 otherwise, also without rspamd',
    registers: [registry],
  });
  filter.set(1);
  // The series exist from the start, so that an alert on an increase also sees the first one.
  for (const port of PORTS) {
    for (const verdict of ['accepted', 'deferred', 'refused']) messages.inc({ port, verdict }, 0);
    for (const command of Object.values(COMMANDS)) refused.inc({ port, command }, 0);
  }
  for (const folder of ['inbox', 'spam', 'reports']) inbound.inc({ folder }, 0);
  for (const outcome of ['accepted', 'failed']) logins.inc({ outcome }, 0);

  return {
    countCommand(port, { handler, error }) {
      const command = COMMANDS[handler];
      if (handler === 'onAuth') logins.inc({ outcome: error ? 'failed' : 'accepted' });
      else if (handler === 'onData') messages.inc({ port, verdict: verdictOf(error) });
      else if (command && error) refused.inc({ port, command });
    },
    countInbound: (folder) => inbound.inc({ folder }),
    setSpamFilter: (isUp) => filter.set(isUp ? 1 : 0),
  };
}

function verdictOf(error: Reply | null): 'accepted' | 'deferred' | 'refused' {
  if (!error) return 'accepted';
  return error.responseCode < 500 ? 'deferred' : 'refused';
}

/**
 * smtp-server delays every greeting by 100 ms, to catch clients that send commands before it. Here the delay ends for a
 * network once one of its clients has waited for the greeting. Clients on this machine get no delay.
 */
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { networkOf } from '../../platform/network/client-network.ts';
import { isThisMachine } from '../../platform/network/local-address.ts';

/** The members of smtp-server's connection that are used here. */
interface Connection {
  remoteAddress: string;
  _server: { options: { maxClients?: number }; connections: Set<unknown> };
  _setListeners(done: () => void): void;
  connectionReady(): void;
  init(): void;
}

const MAX_NETWORKS = 10_000;
const patientNetworks = new Set<string>();

/** Must be called when a client has waited for the greeting and started a message. */
export function rememberPatientNetwork(remoteAddress: string): void {
  if (patientNetworks.size >= MAX_NETWORKS) patientNetworks.delete(patientNetworks.values().next().value!);
  patientNetworks.add(networkOf(remoteAddress));
}

function canGreetAtOnce(remoteAddress: string): boolean {
  return isThisMachine(remoteAddress) || patientNetworks.has(networkOf(remoteAddress));
}

const connectionPrototype = SMTPConnection.prototype as unknown as Connection;
const initWithDelay = connectionPrototype.init;

function init(this: Connection): void {
  const { options, connections } = this._server;
  const isFull = options.maxClients !== undefined && connections.size > options.maxClients;
  if (isFull || !canGreetAtOnce(this.remoteAddress)) return initWithDelay.call(this);
  this._setListeners(() => this.connectionReady());
}

/** Replaces the method of smtp-server's connection for all connections. */
export function replaceGreetingDelay(): void {
  connectionPrototype.init = init;
}

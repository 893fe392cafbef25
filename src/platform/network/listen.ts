/** Opens the port of a server. An error names the door, the address and the setting, for the operator. */
import { once } from 'node:events';
import type { Server } from 'node:net';

export interface ListenAddress {
  host: string;
  port: number;
  /** The name of the setting that has the port. */
  setting: string;
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this user may not open the port',
};

export class ListenError extends Error {
  readonly code: string | undefined;
  readonly setting: string;

  constructor(door: string, { host, port, setting }: ListenAddress, cause: NodeJS.ErrnoException) {
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const reason = REASONS[cause.code ?? ''] ?? cause.message;
    super(`${door}: cannot listen on ${address} (${setting}): ${reason}`);
    this.code = cause.code;
    this.setting = setting;
  }
}

/** `listen` begins to listen; the server emits what comes of it. */
export async function listenOn(
  door: string,
  server: Server,
  address: ListenAddress,
  listen: () => void = () => void server.listen(address.port, address.host),
): Promise<void> {
  listen();
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(door, address, error as NodeJS.ErrnoException);
  }
}

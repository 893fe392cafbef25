/** The server's settings, given at each start, so that an upgrade of Posthorn brings its own to old clusters. */
import path from 'node:path';
import type { Endpoint } from './endpoint.ts';

export interface ServerOptions {
  /** False gives up safety against crashes of the machine for speed; for tests. Default true. */
  durable?: boolean;
  /** Settings of postgresql.conf, over our own. They count only for the process that starts the server. */
  extraSettings?: Record<string, string>;
}

export function settingArguments(endpoint: Endpoint, options: ServerOptions): string[] {
  const settings: Record<string, string> = {
    ...listen(endpoint),
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // pglz: the packaged binaries are built without lz4 and zstd.
    wal_compression: 'on',
    random_page_cost: '1.1',
    // A plan that was made while a table was empty reads all of it; it is made anew once the table was looked at.
    autovacuum_naptime: '2s',
    // Looked at so often it need not be at each tenth that it grew.
    autovacuum_analyze_scale_factor: '0.25',
    // Costs more than it gives on queries of milliseconds.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Starts, stops and crashes. Failed statements are the caller's to log, and hold people's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...(options.durable === false
      ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
      : {}),
    ...options.extraSettings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function listen({ host, port }: Endpoint): Record<string, string> {
  const address = process.platform === 'win32' || !path.isAbsolute(host);
  if (address) return { listen_addresses: host, port: String(port) };
  // A list, in which quotes keep commas and blanks together.
  const quoted = `"${host.replaceAll('"', '""')}"`;
  return { listen_addresses: '', unix_socket_directories: quoted, port: String(port) };
}

/** The server's settings. They are passed at each start, so that an upgrade of Posthorn also changes old clusters. */
import path from 'node:path';
import type { DatabaseEndpoint } from './endpoint.ts';

export interface ServerOptions {
  /** False trades crash safety for speed, for tests. Default true. */
  durable?: boolean;
  /** Settings of postgresql.conf that override ours. Only the process that starts the server applies them. */
  extraSettings?: Record<string, string>;
}

export function settingArguments(endpoint: DatabaseEndpoint, options: ServerOptions): string[] {
  const settings: Record<string, string> = {
    ...listen(endpoint),
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // pglz: the packaged binaries are built without lz4 and zstd.
    wal_compression: 'on',
    random_page_cost: '1.1',
    // A query plan that was made while a table was empty scans the whole table. It is replaced after the next
    // analyze.
    autovacuum_naptime: '2s',
    // With such a short naptime, analyzing after every 10 percent of growth would be too often.
    autovacuum_analyze_scale_factor: '0.25',
    // JIT costs more than it saves on queries of milliseconds.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Log starts, stops and crashes. Failed statements contain personal data, and their callers log the errors.
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

function listen({ host, port }: DatabaseEndpoint): Record<string, string> {
  const address = process.platform === 'win32' || !path.isAbsolute(host);
  if (address) return { listen_addresses: host, port: String(port) };
  // The setting is a list, so a path with commas or spaces needs quotes.
  const quoted = `"${host.replaceAll('"', '""')}"`;
  return { listen_addresses: '', unix_socket_directories: quoted, port: String(port) };
}

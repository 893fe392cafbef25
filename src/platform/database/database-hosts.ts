/**
 * Several database servers in one URL, as in libpq. One of them is the primary:
 *
 *   postgresql://user:password@db1:5432,db2:5432/posthorn?target_session_attrs=read-write
 *
 * Only a server that accepts writes is used. After a failover each new connection finds the new primary by itself.
 * A server that was cut off but still accepts writes looks like the primary, so the software that promotes a
 * standby must stop the old primary first (Patroni does).
 */
import type { EventEmitter } from 'node:events';
import { callbackify } from 'node:util';
import pg from 'pg';

interface DatabaseHost {
  host: string;
  port: number;
}

export interface DatabaseAddress {
  /** A URL with one host, in the form that the driver accepts. */
  connectionString: string;
  /** All hosts; null if there is only one, so that there is no choice. */
  hosts: DatabaseHost[] | null;
}

const DEFAULT_PORT = 5432;
const MAX_HOSTS = 16;
/** A server that has not responded by then does not count as the primary. */
const PROBE_TIMEOUT_MS = 5_000;
const WRITABLE = ['read-write', 'primary'];
const SCHEME = /^postgres(?:ql)?:\/\//i;
/** read_only_sql_transaction: the class of errors that callers treat as "not available right now". */
const NOT_WRITABLE = '25006';

/**
 * Throws an Error whose message follows the name of the setting. The message does not repeat the URL, which
 * contains a password.
 */
export function readDatabaseUrl(url: string): DatabaseAddress {
  const [scheme = ''] = SCHEME.exec(url) ?? [];
  const afterScheme = url.slice(scheme.length);
  const place = afterScheme.split(/[/?#]/, 1)[0]!;
  const rest = afterScheme.slice(place.length);
  const authority = place.slice(place.lastIndexOf('@') + 1);
  const start = scheme && scheme + place.slice(0, place.length - authority.length);
  // `user:password@/database?host=…` is valid for libpq, but not for URL.
  const single = `${start}${authority.split(',')[0] || (start.endsWith('@') ? 'localhost' : '')}${rest}`;
  if (!start || !URL.canParse(single))
    throw new Error('must look like postgresql://user:password@host:5432/database');
  const parsed = new URL(single);
  const wanted = parsed.searchParams.get('target_session_attrs');
  if (wanted !== null && !WRITABLE.includes(wanted))
    throw new Error('must have target_session_attrs=read-write, or none');
  const hosts = listHosts(authority, parsed.searchParams);
  if (hosts.length === 1 && wanted === null) return { connectionString: url, hosts: null };
  if (hosts.length > MAX_HOSTS) throw new Error(`must have at most ${MAX_HOSTS} hosts`);
  // The driver would read each list as a single name.
  for (const name of ['host', 'port', 'target_session_attrs']) parsed.searchParams.delete(name);
  parsed.searchParams.set('host', hosts[0]!.host);
  parsed.searchParams.set('port', String(hosts[0]!.port));
  return { connectionString: parsed.href, hosts };
}

/** `host` and `port` of the query replace those of the authority. A single port applies to all hosts. */
function listHosts(authority: string, query: URLSearchParams): DatabaseHost[] {
  const named = query.get('host')?.split(',');
  const written = authority.split(',').map((text) => /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text));
  if (written.some((match) => match === null)) throw new Error('has a host that cannot be read');
  const names = named ?? written.map((match) => decodeURIComponent(match![1]!.replace(/^\[(.*)\]$/, '$1')));
  const ports = query.get('port')?.split(',') ?? written.map((match) => match![2] ?? '');
  if (ports.length > 1 && ports.length !== names.length)
    throw new Error('must have one port for all hosts, or one for each');
  return names.map((host, at) => {
    const text = ports.length === 1 ? ports[0] : ports[at];
    const port = text ? Number(text) : DEFAULT_PORT;
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('has a port that is not valid');
    if (names.length > 1 && !host) throw new Error('has an empty host in its list');
    return { host: host || 'localhost', port };
  });
}

/** The settings of a PrimaryClient, or of a pool of them. */
export interface PrimarySettings extends pg.ClientConfig {
  hosts: DatabaseHost[] | null;
}

/** A connection to the primary among several servers. With one host and no condition it is an ordinary client. */
export class PrimaryClient extends pg.Client {
  readonly #hosts: DatabaseHost[] | null;
  readonly #settings: PrimarySettings;
  /** The server reports both values when the connection opens and when they change (PostgreSQL 14 and newer). */
  readonly #reported: Record<string, string> = {};

  /** The pool passes its own settings. The parameter is optional only because the pool's types do not say so. */
  constructor(settings: PrimarySettings = { hosts: null }) {
    super(settings);
    this.#hosts = settings.hosts;
    this.#settings = settings;
    const { connection } = this as unknown as { connection: EventEmitter };
    if (this.#hosts)
      connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
        this.#reported[status.parameterName] = status.parameterValue;
      });
  }

  /** pg declares overloads with a callback, which the pool uses, and without. */
  // oxlint-disable-next-line typescript/no-explicit-any
  override connect(callback?: (...outcome: any[]) => void): any {
    if (!this.#hosts) return callback ? super.connect(callback) : super.connect();
    const hosts = this.#hosts;
    if (!callback) return this.#connectToPrimary(hosts);
    callbackify(() => this.#connectToPrimary(hosts))(callback);
  }

  get isWritable(): boolean {
    return this.#reported.in_hot_standby !== 'on' && this.#reported.default_transaction_read_only !== 'on';
  }

  async #connectToPrimary(hosts: DatabaseHost[]): Promise<this> {
    const list = JSON.stringify(hosts);
    const target = hosts.length === 1 ? hosts[0]! : await findPrimary(list, hosts, this.#settings);
    Object.assign(this, target);
    try {
      await super.connect();
      if (!this.isWritable) {
        await super.end();
        throw notWritable('The database server is a standby.');
      }
    } catch (error) {
      primaries.delete(list);
      throw error;
    }
    return this;
  }
}

/** The search for the primary of each list of hosts, or its result until a connection to that server fails. */
const primaries = new Map<string, Promise<DatabaseHost>>();

async function findPrimary(
  list: string,
  hosts: DatabaseHost[],
  settings: PrimarySettings,
): Promise<DatabaseHost> {
  const known = primaries.get(list);
  if (known) return known;
  // Ask all servers in parallel, because an unreachable one may take seconds to fail.
  const search = Promise.any(hosts.map((candidate) => refuseStandby(candidate, settings))).catch(
    ({ errors }: AggregateError) => {
      if (primaries.get(list) === search) primaries.delete(list);
      throw notWritable('No database server of the list accepts writes right now.', errors[0]);
    },
  );
  primaries.set(list, search);
  return search;
}

async function refuseStandby(candidate: DatabaseHost, settings: PrimarySettings): Promise<DatabaseHost> {
  const probe = new PrimaryClient({
    ...settings,
    hosts: [candidate],
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
  });
  // Without a listener, an error after the connection was made would end the process.
  probe.on('error', () => {});
  await probe.connect();
  await probe.end();
  return candidate;
}

function notWritable(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: NOT_WRITABLE });
}

/**
 * The hosts of customers under which this instance serves links and MTA-STS policies. They are in memory, because every
 * request and every TLS handshake asks for its host, and are read again when a trigger tells that the table has changed.
 */
import type { Db } from '../../../platform/database/database.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import { createReread } from '../../../platform/database/reread.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';

export type LinkHost = CamelRow<'link_hosts', 'host' | 'team_id' | 'purpose' | 'is_ready'>;

export interface HostDirectory {
  /** Returns undefined for every other host, without a query. */
  find(host: string): LinkHost | undefined;
  /** Resolves once the hosts have been read for the first time. Fails if they cannot be read. */
  load(): Promise<void>;
  listener: Listener;
  close(): void;
}

export function createHostDirectory(db: Db, onError: (error: Error) => void): HostDirectory {
  let hosts = new Map<string, LinkHost>();

  async function read(): Promise<void> {
    const rows = await db
      .selectFrom('link_hosts')
      .select(['host', 'team_id as teamId', 'purpose', 'is_ready as isReady'])
      .execute();
    hosts = new Map(rows.map((row) => [row.host, row]));
  }

  const { refresh, close } = createReread(read, onError);

  return {
    find: (host) => hosts.get(host),
    load: read,
    listener: { channel: 'link_hosts_changed', onNotification: refresh, onGap: refresh },
    close,
  };
}

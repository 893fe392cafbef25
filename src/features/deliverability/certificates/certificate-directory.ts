/**
 * The certificates that a TLS server chooses by the name that the client asks for (SNI). In memory is which hosts have
 * one; the certificate is read when the first client asks for it, and those that were used last are kept. Nothing is ever
 * ordered here, and a name without a certificate costs no query.
 */
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Db } from '../../../platform/database/database.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import { createReread } from '../../../platform/database/reread.ts';
import { createCertificateBox } from './certificate-box.ts';

export interface CertificateDirectory {
  /** Null if there is none for this host. */
  find(host: string): Promise<SecureContext | null>;
  load(): Promise<void>;
  listener: Listener;
  close(): void;
}

/** A context takes about 50 kB. */
const MOST_CONTEXTS = 1_000;

export function createCertificateDirectory(
  db: Db,
  secret: Buffer,
  onError: (error: Error) => void,
): CertificateDirectory {
  const box = createCertificateBox(secret);
  let hosts = new Set<string>();
  const contexts = new Map<string, Promise<SecureContext | null>>();

  async function load(): Promise<void> {
    const rows = await db
      .selectFrom('host_certificates')
      .select('host')
      .where('chain', 'is not', null)
      .execute();
    hosts = new Set(rows.map(({ host }) => host));
    contexts.clear();
  }

  const { refresh, close } = createReread(load, onError);

  async function read(host: string): Promise<SecureContext | null> {
    const row = await db
      .selectFrom('host_certificates')
      .select(['chain', 'private_key'])
      .where('host', '=', host)
      .executeTakeFirst();
    if (!row?.chain || !row.private_key) return null;
    const key = box.decrypt(row.private_key);
    return createSecureContext({ cert: row.chain, key, minVersion: 'TLSv1.2' });
  }

  function find(host: string): Promise<SecureContext | null> {
    const kept = contexts.get(host);
    // A map keeps the order of insertion, so the first entry is the one that was used longest ago.
    contexts.delete(host);
    const found =
      kept ??
      read(host).catch((error: Error) => {
        contexts.delete(host);
        onError(error);
        return null;
      });
    contexts.set(host, found);
    if (contexts.size > MOST_CONTEXTS) contexts.delete(contexts.keys().next().value!);
    return found;
  }

  return {
    find: (host) => (hosts.has(host) ? find(host) : Promise.resolve(null)),
    load,
    listener: {
      channel: 'host_certificate_changed',
      onNotification(host) {
        contexts.delete(host);
        // Whether the host still has one is found out when a client asks for it.
        hosts.add(host);
      },
      onGap() {
        contexts.clear();
        refresh();
      },
    },
    close,
  };
}

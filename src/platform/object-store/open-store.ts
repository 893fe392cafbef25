/** Opens the object store of an instance, counts its failures, and logs when they begin and end. */
import { Counter } from 'prom-client';
import { deriveKey } from '../crypto.ts';
import type { Log } from '../log.ts';
import type { ObjectStoreSettings } from './s3-requests.ts';
import { createS3Store, type ObjectStore } from './s3-store.ts';

export interface OpenStore {
  store: ObjectStore;
  metrics: Counter[];
}

export function openObjectStore(
  settings: Omit<ObjectStoreSettings, 'namespace'>,
  secret: Buffer,
  log: Log,
): OpenStore {
  const requests = new Counter({
    name: 'posthorn_object_store_requests_total',
    help: 'Requests to the object store (BLOB_URL), by operation and outcome',
    labelNames: ['operation', 'outcome'],
    registers: [],
  });
  const lost = new Counter({
    name: 'posthorn_object_store_lost_total',
    help: 'Reads of objects that are missing in the object store or damaged',
    labelNames: ['loss'],
    registers: [],
  });
  for (const operation of ['put', 'get', 'delete', 'list']) {
    requests.inc({ operation, outcome: 'ok' }, 0);
    requests.inc({ operation, outcome: 'failed' }, 0);
  }
  lost.inc({ loss: 'missing' }, 0);
  lost.inc({ loss: 'damaged' }, 0);
  let failingSince: Date | null = null;
  const store = createS3Store(
    { ...settings, namespace: namespaceOf(secret) },
    {
      onRequest(operation, outcome, reason) {
        requests.inc({ operation, outcome });
        if (outcome === 'failed' && failingSince === null) {
          failingSince = new Date();
          log.error({ operation, reason }, 'object store: not available');
        } else if (outcome === 'ok' && failingSince !== null) {
          log.warn({ since: failingSince }, 'object store: available again');
          failingSince = null;
        }
      },
      onLost(objectKey, loss) {
        lost.inc({ loss });
        log.error({ objectKey, loss }, 'object store: the content of a blob is lost');
      },
    },
  );
  return { store, metrics: [requests, lost] };
}

/** Instances that share a bucket must not delete each other's objects. The secret is part of every backup. */
function namespaceOf(secret: Buffer): string {
  return deriveKey(secret, 'object store namespace').toString('hex').slice(0, 16);
}

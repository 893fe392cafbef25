/** Objects in an S3-compatible store (BLOB_URL). s3-requests.ts describes how failures are handled. */
import { readList, type ObjectPage } from './read-list.ts';
import {
  createS3Requests,
  errorCodeOf,
  type ObjectStoreSettings,
  type StoreOperation,
  type S3Answer,
} from './s3-requests.ts';

/** The ways in which an object that a row refers to can be lost. */
type Loss = 'missing' | 'damaged';

/** Callbacks for each request and for lost objects. */
export interface StoreReports {
  onRequest(operation: StoreOperation, outcome: 'ok' | 'failed', reason?: string): void;
  onLost(key: string, loss: Loss): void;
}

/** Keys do not include the prefix. */
export interface ObjectStore {
  settings: ObjectStoreSettings;
  /** `sha256` is the hash of the content, which the store checks. */
  put(key: string, content: Buffer, sha256: Buffer): Promise<void>;
  /** Null if there is no such object. */
  get(key: string): Promise<Buffer | null>;
  /** Deleting an object that does not exist succeeds. */
  delete(key: string): Promise<void>;
  /** Lists up to 1,000 objects of this instance, from the start or from `next`. */
  list(next: string | null): Promise<ObjectPage>;
  reports: StoreReports;
  close(): Promise<void>;
}

const SILENT: StoreReports = { onRequest() {}, onLost() {} };

export function createS3Store(settings: ObjectStoreSettings, reports: StoreReports = SILENT): ObjectStore {
  const requests = createS3Requests(settings, reports.onRequest);
  const root = settings.prefix === '' ? '' : `${settings.prefix}/`;
  return {
    settings,
    async put(key, content, sha256) {
      const object = { key: root + key, body: content, bodyHash: sha256.toString('hex') };
      await requests.send('put', { method: 'PUT', ...object }, isDone);
    },
    async get(key) {
      const object = { method: 'GET' as const, key: root + key };
      const answer = await requests.send('get', object, (one) => isDone(one) || isMissing(one));
      return isDone(answer) ? answer.body : null;
    },
    async delete(key) {
      const object = { method: 'DELETE' as const, key: root + key };
      await requests.send('delete', object, (one) => isDone(one) || isMissing(one));
    },
    async list(next) {
      const query = {
        'list-type': '2',
        'max-keys': '1000',
        prefix: `${root}${settings.namespace}/`,
        ...(next === null ? {} : { 'continuation-token': next }),
      };
      const { body, date } = await requests.send('list', { method: 'GET', key: '', query }, isDone);
      const page = readList(body.toString('utf8'), date);
      const own = page.objects.filter(({ key }) => key.startsWith(root));
      return { ...page, objects: own.map(({ key, ageMs }) => ({ key: key.slice(root.length), ageMs })) };
    },
    reports,
    close: () => requests.close(),
  };
}

function isDone({ status }: S3Answer): boolean {
  return status === 200 || status === 204;
}

/** A missing bucket is a failure. */
function isMissing(answer: S3Answer): boolean {
  return answer.status === 404 && errorCodeOf(answer) === 'NoSuchKey';
}

/** Lists objects in the store of BLOB_URL, which needs a connection, a valid key and the bucket. */
import type { Config } from '../../config.ts';
import { failure, passed, type DoctorFinding } from './finding.ts';

const TIMEOUT_MS = 5_000;

export async function checkObjectStore({ blobUrl }: Config): Promise<DoctorFinding[]> {
  if (!blobUrl) return [];
  const { createS3Store } = await import('../../platform/object-store/s3-store.ts');
  const store = createS3Store({ ...blobUrl, namespace: 'doctor', timeoutMs: TIMEOUT_MS });
  const where = `the bucket ${blobUrl.bucket} at ${blobUrl.origin}`;
  try {
    await store.list(null);
    return [passed('BLOB_URL', `${where} can be listed`)];
  } catch (error) {
    const reason = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    const advice = 'Correct BLOB_URL, or the permissions of its key. Large messages are rejected until then.';
    return [failure('BLOB_URL', `${where} cannot be used: ${reason}`, advice)];
  } finally {
    await store.close();
  }
}

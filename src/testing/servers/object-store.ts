/**
 * An object store for tests, behind a proxy that can be down or silent. It is our own small server, or the one in
 * S3_TEST_URL (a BLOB_URL with tls=off). With the latter, the same tests show that a real server accepts our requests.
 */
import { randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readBlobUrl } from '../../read-setting.ts';
import { createS3Store } from '../../platform/object-store/s3-store.ts';
import { startS3Server } from './s3-server.ts';

/** A busy machine may take a second to answer. */
const TIMEOUT_SECONDS = 3;

const OWN = { accessKey: 'test key', secretKey: 'a/secret+with signs', region: 'us-east-1' };

export async function startObjectStore() {
  const real = process.env.S3_TEST_URL ? readBlobUrl(process.env.S3_TEST_URL) : null;
  const own = real ? null : await startS3Server('mail', OWN);
  const { accessKey, secretKey, region } = real ?? OWN;
  const target = real ? new URL(real.origin) : { hostname: '127.0.0.1', port: own!.port };
  const sockets = new Set<Socket>();
  const proxy = { state: 'open' as 'open' | 'away' | 'silent' };
  const server = createServer((guest) => {
    if (proxy.state === 'away') return void guest.destroy();
    const inside = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [guest, inside],
      [inside, guest],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('data', (data) => void (proxy.state === 'silent' || other.write(data)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const prefix = `tests/${randomBytes(8).toString('hex')}`;
  const bucket = real?.bucket ?? 'mail';
  const user = `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}`;
  return {
    /** The value for BLOB_URL. */
    url: `s3://${user}@127.0.0.1:${port}/${bucket}/${prefix}?region=${region}&tls=off&timeout=${TIMEOUT_SECONDS}`,
    set(state: typeof proxy.state) {
      proxy.state = state;
      if (state === 'away') for (const socket of sockets) socket.destroy();
    },
    /** A client of the same objects that does not use the proxy. */
    openClient(namespace: string) {
      const origin = `http://${target.hostname}:${target.port}`;
      const place = { origin, bucket, prefix, namespace, timeoutMs: 10_000 };
      return createS3Store({ ...place, accessKey, secretKey, region });
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      own?.close();
    },
  };
}

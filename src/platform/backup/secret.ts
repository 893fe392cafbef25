/** Replaces the instance secret with the one in the backup, at the moment of the commit. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface SecretExchange {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Everything that is likely to fail happens before the commit; only a rename follows it. */
export async function exchangeSecret(file: string | null, secret: string): Promise<SecretExchange> {
  if (!file) return { commit: async () => {}, discard: async () => {} };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const waiting = `${file}.restored`;
  const handle = await open(waiting, 'w', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { commit: () => rename(waiting, file), discard: () => rm(waiting, { force: true }) };
}

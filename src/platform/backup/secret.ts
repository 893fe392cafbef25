/** The backup's secret takes the place of the one that is there, at the moment when its data does. */
import { open, rename, rm } from 'node:fs/promises';

export interface SecretExchange {
  keep(): Promise<void>;
  forget(): Promise<void>;
}

/** Everything that can fail is done before the data is there; what is left then is a rename. */
export async function exchangeSecret(file: string | null, secret: string): Promise<SecretExchange> {
  if (!file) return { keep: async () => {}, forget: async () => {} };
  const waiting = `${file}.restored`;
  const handle = await open(waiting, 'w', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { keep: () => rename(waiting, file), forget: () => rm(waiting, { force: true }) };
}

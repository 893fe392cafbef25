import type { Config } from '../config.ts';
import { openInstance, type Instance } from '../instance.ts';
import { createLog } from '../platform/log.ts';

/** Runs a short command on the instance's database, which is started for it when nobody else has. */
export async function withInstance<Result>(
  config: Config,
  work: (instance: Instance) => Promise<Result>,
  options: { unhurried?: boolean } = {},
): Promise<Result> {
  const instance = await openInstance({ ...config, databaseConnections: 4 }, createLog('error'), {
    migrate: true,
    ...options,
  });
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
}

import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { openInstance, type Instance } from '../instance.ts';
import { instanceSecretFile } from '../platform/crypto.ts';
import { createLog } from '../platform/log.ts';

/**
 * Runs a command on the instance's database. Starts the embedded database if it is not running. `create` lets the
 * command create the instance; without it a command in the wrong folder fails instead of finding an empty instance.
 */
export async function withInstance<Result>(
  config: Config,
  work: (instance: Instance) => Promise<Result>,
  { create = false, ...options }: { create?: boolean; unhurried?: boolean; migrate?: boolean } = {},
): Promise<Result> {
  if (!create && !config.databaseUrl) refuseWithoutSecret(config);
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

/** Opening the instance would create a new secret and an empty database. */
export function refuseWithoutSecret(config: Config): void {
  const file = instanceSecretFile(config.dataDir);
  if (config.instanceSecret || existsSync(file)) return;
  throw new Error(
    `No instance found: ${file} does not exist, or this user cannot read it. Run the command as the user of the server and with the same DATA_DIR, or set INSTANCE_SECRET.`,
  );
}

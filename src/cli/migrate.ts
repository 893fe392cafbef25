import type { Config } from '../config.ts';
import { migrateAll, openInstance } from '../instance.ts';
import { createLog } from '../platform/log.ts';
import { readOptions } from './usage.ts';

export async function migrateCommand(args: string[], config: Config): Promise<void> {
  readOptions(args, []);
  const log = createLog('error');
  const instance = await openInstance(config, log, { migrate: false, unhurried: true });
  try {
    const ran = await migrateAll(instance, log);
    console.log(ran.length > 0 ? `Applied ${ran.join(', ')}.` : 'The database is up to date.');
  } finally {
    await instance.close();
  }
}

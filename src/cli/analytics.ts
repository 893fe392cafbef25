import type { Config } from '../config.ts';
import { rebuildCounts } from '../features/activity/analytics/rebuild.ts';
import { readOptions, unknownSubcommand } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function analyticsCommand([verb, ...rest]: string[], config: Config): Promise<void> {
  if (verb !== 'rebuild') throw unknownSubcommand(verb, ['rebuild']);
  readOptions(rest, []);
  const since = await withInstance(config, ({ db }) => rebuildCounts(db), { unhurried: true });
  console.log(
    since ? `Rebuilt the statistics since ${since} from the stored events.` : 'There are no events to count.',
  );
}

import type { Config } from '../config.ts';
import { rebuildCounts } from '../features/analytics/rebuild.ts';
import { UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function analyticsCommand([verb, ...rest]: string[], config: Config): Promise<void> {
  if (verb !== 'rebuild' || rest.length > 0) throw new UsageError('What should be done with the analytics?');
  const since = await withInstance(config, ({ db }) => rebuildCounts(db), { unhurried: true });
  console.log(
    since ? `Counted anew since ${since}, from the events that are kept.` : 'There are no events to count.',
  );
}

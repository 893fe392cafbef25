/** Many contacts in one request, compared with a plain insert of the same rows. */
import { postBulkLoad } from './contact-loads.ts';
import { compareAdding, openContactWorld, type ContactWorld } from './contact-world.ts';
import type { Comparison } from './measure.ts';
import { suite, type Row } from './suite.ts';

const WANTED_SHARE = 0.5;
const WANTED_PER_SECOND = 20_000;

/** Every connection sends at least one request, so with 32 connections a round has 320,000 contacts on each side. */
const LARGEST = { rounds: 2, roundMs: 1, warmUpMs: 0 };

export const contactsBulkSuite = suite(openContactWorld, [
  row(1_000, 1),
  row(1_000, 32, { rounds: 5 }),
  row(10_000, 1),
  row(10_000, 32, LARGEST),
]);

function row(size: number, connections: number, rounds: Partial<Comparison> = {}): Row<ContactWorld> {
  const crowd = `${connections} connection${connections === 1 ? '' : 's'}`;
  return {
    name: `POST contacts/bulk of ${size.toLocaleString('en-US')}, ${crowd}`,
    unit: 'contacts/s',
    // Reaching one of the two goals is enough, so the lower one counts. Both are ratios to the limit.
    wanted: (limit) => Math.min(WANTED_SHARE, WANTED_PER_SECOND / limit),
    measure(world) {
      const { ours, limit } = world;
      return compareAdding(
        world,
        postBulkLoad(ours.door, `${ours.path}/contacts/bulk`, size),
        postBulkLoad(limit.door, `/insertContacts/${limit.book.uuid}`, size),
        { connections, amount: size, ...rounds },
      );
    },
  };
}

/** Counts views, sign-ups and confirmations of forms. The counters are split over slots and exact. */
import { createBatcher } from '../../../platform/database/batcher.ts';
import { Fragment, statement, toNumberArray, type Db } from '../../../platform/database/database.ts';
import type { Counts } from './form-row.ts';
import { SLOT } from '../../sending/counters/count-columns.ts';

interface Counted extends Partial<Counts> {
  teamId: number;
  formId: string;
}

/** Ignores deleted forms. Concurrent calls share one statement, so many at the same time are cheap. */
export const countForm = createBatcher<Counted, void>({
  keyOf: () => 'forms',
  atOnce: 1,
  async work(db: Db, counted) {
    await statement(db)`
      insert into form_counts as n (team_id, form_id, slot, views, signups, confirmed)
      select f.team_id, f.id, ${new Fragment(SLOT)}, sum(c.views), sum(c.signups), sum(c.confirmed)
      from unnest(
        ${toNumberArray(counted, ({ teamId }) => teamId)}::integer[], ${counted.map(({ formId }) => formId)}::uuid[],
        ${toNumberArray(counted, ({ views = 0 }) => views)}::bigint[],
        ${toNumberArray(counted, ({ signups = 0 }) => signups)}::bigint[],
        ${toNumberArray(counted, ({ confirmed = 0 }) => confirmed)}::bigint[]
      ) as c (team_id, form_id, views, signups, confirmed)
      join forms f on f.team_id = c.team_id and f.id = c.form_id
      group by f.team_id, f.id order by f.team_id, f.id
      on conflict (team_id, form_id, slot) do update set views = n.views + excluded.views,
        signups = n.signups + excluded.signups, confirmed = n.confirmed + excluded.confirmed`;
    return counted.map(() => undefined);
  },
});

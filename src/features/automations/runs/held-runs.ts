import { sql } from 'kysely';

/** Selects runs that something holds that someone has to mend. As in the index automation_runs_held. */
export const HELD = sql.raw(
  `status = 'ACTIVE' and held_by is not null and held_by <> all ('{quiet_hours,frequency_cap,auto_reply,brake}')`,
);

/** A suite: rows that are measured in one environment, which is created before and closed after them. */
import { closeAll } from './cleanup.ts';
import type { Measured } from './measure.ts';

export interface Row<World> {
  name: string;
  unit: string;
  /** Returns the smallest acceptable ratio, which may depend on the speed of the limit; null if there is no goal. */
  wanted(limit: number): number | null;
  measure(world: World): Promise<Measured>;
  /** True if it takes too long to run every time. It is then measured only with `--only`. */
  isLong?: boolean;
}

export interface Result extends Measured {
  name: string;
  unit: string;
  wanted: number | null;
}

interface Report {
  onResult(result: Result): void;
  onError(error: unknown, doing: string): void;
}

export interface Suite {
  rowNames: string[];
  longRowNames: string[];
  /** Measures the rows with these names; opens nothing if there are none. An error ends only this suite. */
  run(names: string[], report: Report): Promise<void>;
}

export function suite<World>(open: () => Promise<World>, rows: Row<World>[]): Suite {
  return {
    rowNames: rows.map((row) => row.name),
    longRowNames: rows.filter((row) => row.isLong).map((row) => row.name),
    async run(names, report) {
      const chosen = rows.filter((row) => names.includes(row.name));
      if (chosen.length === 0) return;
      let doing = 'start';
      try {
        const world = await open();
        for (const { name, unit, wanted, measure } of chosen) {
          doing = name;
          const measured = await measure(world);
          report.onResult({ name, unit, ...measured, wanted: wanted(measured.limit) });
        }
      } catch (error) {
        // After an error the environment may be wrong for the other rows.
        report.onError(error, doing);
      } finally {
        await closeAll();
      }
    },
  };
}

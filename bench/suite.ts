/** A suite: rows that are measured in one world, which is made for them and taken down after them. */
import { closeAll } from './cleanup.ts';
import type { Measured } from './measure.ts';

export interface Row<World> {
  name: string;
  unit: string;
  /** The least ratio that will do, or null where there is no rule; it may depend on how fast the limit is. */
  wanted(limit: number): number | null;
  measure(world: World): Promise<Measured>;
  /** Too long for every time: measured when `--only` asks for it. */
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
  /** Measures the rows of these names; opens nothing when there are none. An error ends this suite alone. */
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
        // What comes after would be measured in a world that is not what it should be.
        report.onError(error, doing);
      } finally {
        await closeAll();
      }
    },
  };
}

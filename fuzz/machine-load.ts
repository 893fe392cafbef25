/** Estimates how much slower than idle the machine currently is, so that time limits also work on a busy machine. */
export interface MachineLoad {
  /** Records that a computation used `cpuMs` of CPU time and took `elapsedMs`. */
  note(cpuMs: number, elapsedMs: number): void;
  /** The slowdown; 1 on an idle machine. */
  slowdown(): number;
  /** The largest slowdown so far. */
  worst(): number;
}

const REMEMBERED_MS = 3_000;

export function createMachineLoad(): MachineLoad {
  let notes: { atMs: number; cpuMs: number; elapsedMs: number }[] = [];
  let worst = 1;
  const sum = (key: 'cpuMs' | 'elapsedMs') => notes.reduce((total, note) => total + note[key], 0);
  const slowdown = () => (notes.length === 0 ? 1 : Math.max(1, sum('elapsedMs') / sum('cpuMs')));
  return {
    note(cpuMs, elapsedMs) {
      const atMs = Date.now();
      notes = [...notes.filter((note) => note.atMs > atMs - REMEMBERED_MS), { atMs, cpuMs, elapsedMs }];
      worst = Math.max(worst, slowdown());
    },
    slowdown,
    worst: () => worst,
  };
}

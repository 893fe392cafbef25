/** Fuzzes one door besides our own API, and reports how its responses were distributed. */
import type { Findings } from '../findings.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { formTrials } from './forms.ts';
import { imapTrials } from './imap.ts';
import { importTrials } from './imports.ts';
import { jmapTrials } from './jmap.ts';
import { runMeasured, type DoorTrial } from './measured.ts';
import { vendorTrials } from './vendors.ts';

export interface DoorPlan {
  seed: string;
  /** Every n-th trial is made. */
  every: number;
  endsAtMs: number;
}

type MakeTrials = (
  target: Target,
  world: World,
  seed: string,
) => Iterable<() => DoorTrial> | Promise<Iterable<() => DoorTrial>>;

const TRIALS = {
  vendors: vendorTrials,
  jmap: jmapTrials,
  imports: importTrials,
  forms: formTrials,
  imap: imapTrials,
} satisfies Record<string, MakeTrials>;

export type DoorPart = keyof typeof TRIALS;

export async function fuzzDoor(
  part: DoorPart,
  target: Target,
  world: World,
  findings: Findings,
  { seed, every, endsAtMs }: DoorPlan,
): Promise<string> {
  const make: MakeTrials = TRIALS[part];
  const planned = [...(await make(target, world, seed))].filter((_, at) => at % every === 0);
  const { trials, statuses } = await runMeasured(target, findings, planned, endsAtMs);
  const counts = [...statuses].toSorted(([one], [other]) => one - other);
  const shown = counts.map(([status, count]) => `${count} × ${status}`).join(', ');
  return `${part}: ${trials} of ${planned.length} trials, ${shown}.`;
}

/**
 * A queue for work that many teams ask for: only so much of it runs at once, and only a part of that for one team. The
 * teams take turns, so a team that asks for a lot delays its own work and not that of the others.
 */
export type TeamQueue = <Result>(teamId: number, work: () => Promise<Result>) => Promise<Result>;

export function createTeamQueue({ atOnce, perTeam }: { atOnce: number; perTeam: number }): TeamQueue {
  /** The team whose turn is next stands first. */
  const waiting = new Map<number, (() => void)[]>();
  const runningOf = new Map<number, number>();
  let running = 0;

  function change(teamId: number, by: 1 | -1): void {
    running += by;
    const ofTeam = (runningOf.get(teamId) ?? 0) + by;
    if (ofTeam === 0) runningOf.delete(teamId);
    else runningOf.set(teamId, ofTeam);
  }

  function startNext(): void {
    // A team that is set again comes last, and the loop reaches it once more.
    for (const [teamId, line] of waiting) {
      if (running >= atOnce) return;
      if ((runningOf.get(teamId) ?? 0) >= perTeam) continue;
      waiting.delete(teamId);
      const start = line.shift()!;
      if (line.length > 0) waiting.set(teamId, line);
      change(teamId, 1);
      start();
    }
  }

  return async (teamId, work) => {
    await new Promise<void>((start) => {
      const line = waiting.get(teamId);
      if (line) line.push(start);
      else waiting.set(teamId, [start]);
      startNext();
    });
    try {
      return await work();
    } finally {
      change(teamId, -1);
      startNext();
    }
  };
}

/**
 * A queue that shares capacity fairly between teams: at most `atOnce` tasks run concurrently, and at most `perTeam`
 * of one team. Teams take turns, so a team with much work delays only itself.
 */
export type TeamQueue = <Result>(teamId: number, work: () => Promise<Result>) => Promise<Result>;

export function createTeamQueue({ atOnce, perTeam }: { atOnce: number; perTeam: number }): TeamQueue {
  /** In round-robin order: the next team is first. */
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
    // A team that is deleted and set again moves to the end, and this loop reaches it again.
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

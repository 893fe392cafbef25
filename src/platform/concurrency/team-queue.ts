/**
 * A queue that shares capacity fairly between teams: at most `atOnce` tasks run concurrently, and at most `perTeam`
 * of one team. Teams take turns, so a team with much work delays only itself. Where work has no team, the key may be
 * something else, such as a network.
 */
export type TeamQueue<Key = number> = <Result>(teamId: Key, work: () => Promise<Result>) => Promise<Result>;

export function createTeamQueue<Key = number>({
  atOnce,
  perTeam,
}: {
  atOnce: number;
  perTeam: number;
}): TeamQueue<Key> {
  /** In round-robin order: the next team is first. */
  const waiting = new Map<Key, (() => void)[]>();
  const runningOf = new Map<Key, number>();
  let running = 0;

  function change(teamId: Key, by: 1 | -1): void {
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

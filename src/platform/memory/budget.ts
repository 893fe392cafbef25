/**
 * A memory budget: limits the total bytes of concurrent work. Work that does not fit waits in order. Work that is
 * larger than the whole budget runs alone.
 */
export type Budget = <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;

export function createBudget(size: number): Budget {
  let used = 0;
  const queue: { bytes: number; start(): void }[] = [];

  function startNext(): void {
    for (;;) {
      const next = queue[0];
      if (!next || (used > 0 && used + next.bytes > size)) return;
      queue.shift();
      used += next.bytes;
      next.start();
    }
  }

  return async (bytes, work) => {
    await new Promise<void>((start) => {
      queue.push({ bytes, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      used -= bytes;
      startNext();
    }
  };
}

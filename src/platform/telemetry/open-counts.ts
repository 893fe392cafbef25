/** Counts open connections or requests by name, and rejects further ones above a limit. */
export interface OpenCounts {
  /**
   * Returns null if `most` are already open, otherwise a function that decreases the count. Calling that function
   * twice has no further effect.
   */
  count(this: void, name: string, most: number): (() => void) | null;
}

export function createOpenCounts(): OpenCounts {
  const counts = new Map<string, number>();
  return {
    count(name, most) {
      const open = counts.get(name) ?? 0;
      if (open >= most) return null;
      counts.set(name, open + 1);
      let isCounted = true;
      return () => {
        if (!isCounted) return;
        isCounted = false;
        const left = counts.get(name)! - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      };
    },
  };
}

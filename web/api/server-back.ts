import { useEffect, useRef, useState } from 'react';

const EVERY_MS = 4_000;

/**
 * Checks regularly whether the server responds, and calls `run` once it responds again after a failure. Returns
 * whether the last check failed.
 */
export function useServerBack(run: () => void, isWaitedFor = true): boolean {
  const latest = useRef(run);
  latest.current = run;
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    if (!isWaitedFor) return undefined;
    let wasAway = false;
    let isOver = false;
    let timer = 0;
    const ask = async () => {
      const answers = await serverAnswers();
      if (isOver) return;
      setAway(!answers);
      if (answers && wasAway) return latest.current();
      wasAway = !answers;
      timer = window.setTimeout(() => void ask(), EVERY_MS);
    };
    void ask();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [isWaitedFor]);
  return isAway;
}

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

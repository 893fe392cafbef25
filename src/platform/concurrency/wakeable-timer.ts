/** The pause of a polling loop. `wake` ends it early. */
export interface WakeableTimer {
  /**
   * Returns immediately when `wake` was called since the last sleep, because the work may have arrived after the
   * last poll. The result is true if `wake` ended the sleep.
   */
  sleep(ms: number): Promise<boolean>;
  wake(this: void): void;
}

export function createWakeableTimer(): WakeableTimer {
  let isWoken = false;
  let endSleep: (() => void) | null = null;
  return {
    wake() {
      isWoken = true;
      endSleep?.();
    },
    async sleep(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          endSleep = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
  };
}

/** The rest of a loop that looks for work: it ends after its time, or when somebody calls. */
export interface Sleeper {
  /** Not at all when somebody called since the last time: what they called for may have come after we looked. */
  sleep(ms: number): Promise<void>;
  wake(): void;
}

export function createSleeper(): Sleeper {
  let isWoken = false;
  let alarm: (() => void) | null = null;
  return {
    wake() {
      isWoken = true;
      alarm?.();
    },
    async sleep(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          alarm = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isWoken = false;
    },
  };
}

/**
 * How many letters a courier claims ahead: what leaves in a moment. Many save work while they leave by the thousand;
 * where they leave one by one few are enough, and what is more urgent does not wait behind those already claimed.
 */
export interface Reach {
  ahead(): number;
  /** One more was begun. */
  begun(): void;
}

const LEAST = 50;
const MOST = 400;
const MOMENT_MS = 200;
const LOOK_MS = 100;

export function createReach(): Reach {
  let ahead = LEAST;
  let begun = 0;
  let sinceMs = performance.now();
  return {
    ahead() {
      const passedMs = performance.now() - sinceMs;
      if (passedMs >= LOOK_MS) {
        ahead = Math.min(MOST, Math.max(LEAST, Math.round((begun * MOMENT_MS) / passedMs)));
        begun = 0;
        sinceMs += passedMs;
      }
      return ahead;
    },
    begun() {
      begun += 1;
    },
  };
}

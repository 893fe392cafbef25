/** Swipes of a finger over a row, to the left or to the right. A vertical movement scrolls the list as usual. */
import { useRef, useState, type TouchEvent } from 'react';

/** Pixels from where on letting go acts. */
const ENOUGH_PX = 88;
/** Smaller movements may be those of a tap. */
const MOVING_PX = 12;
const MOST_PX = 160;

export interface Swipe {
  /** How far the row is moved. Negative: to the left. */
  dx: number;
  /** Whether letting go acts. */
  isEnough: boolean;
  handlers: {
    onTouchStart(event: TouchEvent): void;
    onTouchMove(event: TouchEvent): void;
    onTouchEnd(): void;
    onTouchCancel(): void;
  };
}

export function useSwipe(onRight: () => void, onLeft: () => void): Swipe {
  const [dx, setDx] = useState(0);
  const start = useRef<{ x: number; y: number } | null>(null);
  const end = () => {
    start.current = null;
    setDx(0);
  };
  return {
    dx,
    isEnough: Math.abs(dx) >= ENOUGH_PX,
    handlers: {
      onTouchStart({ touches }) {
        const finger = touches[0];
        start.current = touches.length === 1 && finger ? { x: finger.clientX, y: finger.clientY } : null;
      },
      onTouchMove({ touches }) {
        const finger = touches[0];
        if (!start.current || !finger) return;
        const x = finger.clientX - start.current.x;
        const y = finger.clientY - start.current.y;
        // It is a scroll.
        if (dx === 0 && Math.abs(y) > Math.abs(x) && Math.abs(y) > MOVING_PX)
          return void (start.current = null);
        if (dx !== 0 || Math.abs(x) > MOVING_PX) setDx(Math.max(-MOST_PX, Math.min(MOST_PX, x)));
      },
      onTouchEnd() {
        if (dx >= ENOUGH_PX) onRight();
        else if (dx <= -ENOUGH_PX) onLeft();
        end();
      },
      onTouchCancel: end,
    },
  };
}

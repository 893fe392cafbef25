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
  // A quick finger leaves before its last movement is drawn, so the distance is not read from the state.
  const finger = useRef<{ x: number; y: number; dx: number } | null>(null);
  const end = () => {
    finger.current = null;
    setDx(0);
  };
  return {
    dx,
    isEnough: Math.abs(dx) >= ENOUGH_PX,
    handlers: {
      onTouchStart({ touches }) {
        const touch = touches[0];
        finger.current = touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY, dx: 0 } : null;
      },
      onTouchMove({ touches }) {
        const from = finger.current;
        const touch = touches[0];
        if (!from || !touch) return;
        const x = touch.clientX - from.x;
        const y = touch.clientY - from.y;
        // It is a scroll.
        if (from.dx === 0 && Math.abs(y) > Math.abs(x) && Math.abs(y) > MOVING_PX)
          return void (finger.current = null);
        if (from.dx === 0 && Math.abs(x) <= MOVING_PX) return;
        from.dx = Math.max(-MOST_PX, Math.min(MOST_PX, x));
        setDx(from.dx);
      },
      onTouchEnd() {
        const moved = finger.current?.dx ?? 0;
        if (moved >= ENOUGH_PX) onRight();
        else if (moved <= -ENOUGH_PX) onLeft();
        end();
      },
      onTouchCancel: end,
    },
  };
}

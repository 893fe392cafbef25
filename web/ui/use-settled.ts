import { useEffect, useState } from 'react';

const TYPING_PAUSE_MS = 300;

/** Returns the value at the last pause in typing. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}

/** A value outside of the components, which plain functions set and components follow. */
import { useSyncExternalStore } from 'react';

interface SharedValue<Value> {
  get(): Value;
  set(next: Value): void;
  use(): Value;
}

export function sharedValue<Value>(first: Value): SharedValue<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

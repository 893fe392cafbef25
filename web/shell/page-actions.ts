/** The actions of the page that is open, which the command palette offers as well. */
import { useEffect, useRef } from 'react';
import type { LucideIcon } from 'lucide-react';

export interface PageAction {
  name: string;
  icon: LucideIcon;
  run(): void;
}

let read: () => readonly PageAction[] = () => [];

export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const own = () => latest.current;
    read = own;
    return () => {
      if (read === own) read = () => [];
    };
  }, []);
}

export function currentPageActions(): readonly PageAction[] {
  return read();
}

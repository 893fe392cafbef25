/** The actions of the page that is open, which the command palette offers as well. */
import { ArrowRight, type LucideIcon } from 'lucide-react';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';

export interface PageAction {
  name: string;
  icon: LucideIcon;
  run(): void;
}

const readers = new Set<() => readonly PageAction[]>();
const IsWithin = createContext(false);

export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const read = () => latest.current;
    readers.add(read);
    return () => void readers.delete(read);
  }, []);
}

/** The place for the buttons of a page. The palette finds them there by their names. */
export function PageActions({ className, children }: { className: string; children: ReactNode }) {
  return (
    <div data-page-actions className={className}>
      <IsWithin value>{children}</IsWithin>
    </div>
  );
}

/** False for the menu of one row of a list. */
export function useIsPageAction(): boolean {
  return useContext(IsWithin);
}

/** Each name once: an action is often offered by a button and by a menu. */
export function currentPageActions(): PageAction[] {
  const all = [...buttonsOfPage(), ...[...readers].flatMap((read) => read())];
  return [...new Map(all.map((action) => [action.name, action])).values()];
}

function buttonsOfPage(): PageAction[] {
  const controls = document.querySelectorAll<HTMLElement>('[data-page-actions] :is(button, a[href])');
  return [...controls]
    .filter(
      (control) =>
        control.offsetParent && !control.matches(':disabled, [aria-disabled=true], [aria-haspopup]'),
    )
    .map((control) => ({
      name: control.ariaLabel ?? control.textContent.trim(),
      icon: ArrowRight,
      run: () => control.click(),
    }));
}

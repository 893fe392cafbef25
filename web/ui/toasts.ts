/** Short notes at the edge of the screen. Screen readers announce them, and they disappear after a while. */
export interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
  action: { label: string; run(): void } | null;
}

const SHOWN_MS = { plain: 6_000, bad: 12_000 };
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function showToast(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): number {
  const toast: Toast = { id: ++lastId, text, tone: options.tone ?? 'plain', action: options.action ?? null };
  set([...toasts.slice(-3), toast]);
  window.setTimeout(() => hideToast(toast.id), SHOWN_MS[toast.tone]);
  return toast.id;
}

export function hideToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

/** Runs the action of the newest toast that has one. */
export function runToastAction(): boolean {
  const toast = toasts.findLast(({ action }) => action !== null);
  if (!toast) return false;
  toast.action!.run();
  hideToast(toast.id);
  return true;
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToasts(): readonly Toast[] {
  return toasts;
}

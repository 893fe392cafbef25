/** Short notes at the edge of the screen. Screen readers announce them, and they disappear after a while. */
import { sharedValue } from '../api/shared-value.ts';

export interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
  action: { label: string; run(): void } | null;
}

const SHOWN_MS = { plain: 6_000, bad: 12_000 };
const toasts = sharedValue<readonly Toast[]>([]);
let lastId = 0;

export function showToast(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): number {
  const toast: Toast = { id: ++lastId, text, tone: options.tone ?? 'plain', action: options.action ?? null };
  toasts.set([...toasts.get().slice(-3), toast]);
  window.setTimeout(() => hideToast(toast.id), SHOWN_MS[toast.tone]);
  return toast.id;
}

export function hideToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Runs the action of the newest toast that has one. */
export function runToastAction(): boolean {
  const toast = toasts.get().findLast(({ action }) => action !== null);
  if (!toast) return false;
  toast.action!.run();
  hideToast(toast.id);
  return true;
}

export const useToasts = toasts.use;

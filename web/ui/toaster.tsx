import { X } from 'lucide-react';
import { texts } from '../texts/en.ts';
import { classes } from './classes.ts';
import { hideToast, useToasts } from './toasts.ts';

/** Toasts are at the bottom; in webmail at the top, but not above a dialog, which locks the page. */
export function Toaster() {
  const toasts = useToasts();
  return (
    <div
      role="region"
      aria-label={texts.common.notes}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-3 z-60 flex flex-col items-center gap-2 sm:items-end print:hidden [[data-toasts=top]_body:not([data-scroll-locked])_&]:top-14 [[data-toasts=top]_body:not([data-scroll-locked])_&]:bottom-auto"
    >
      {toasts.map((toast) => (
        <div
          key={toast.id}
          className={classes(
            'pointer-events-auto flex max-w-md animate-rise items-start gap-3 rounded-lg px-3.5 py-2.5 shadow-float',
            toast.tone === 'bad' ? 'bg-bad text-paper' : 'bg-ink text-paper',
          )}
        >
          <span className="min-w-0 break-words">{toast.text}</span>
          {toast.action && (
            <button
              type="button"
              className="shrink-0 font-semibold underline underline-offset-2"
              onClick={() => {
                toast.action?.run();
                hideToast(toast.id);
              }}
            >
              {toast.action.label}
            </button>
          )}
          <button type="button" aria-label={texts.common.close} onClick={() => hideToast(toast.id)}>
            <X aria-hidden className="mt-0.5 size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}

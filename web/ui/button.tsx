import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react';
import { classes } from './classes.ts';

export type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'quietDanger';

const LOOKS: Record<Look, string> = {
  primary: 'bg-ink text-paper hover:opacity-88 border-transparent',
  plain: 'bg-raised text-ink border-line hover:bg-hover',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-hover',
  quietDanger: 'bg-transparent text-bad border-transparent hover:bg-bad-tint',
  danger: 'bg-bad text-paper border-transparent hover:opacity-88',
};

/** Links that look like buttons use this too. */
export function buttonClasses(look: Look = 'plain', size: 'small' | 'normal' = 'normal'): string {
  return classes(
    'inline-flex items-center justify-center gap-1.5 rounded-lg border font-medium whitespace-nowrap select-none',
    'transition-colors disabled:opacity-55 aria-disabled:opacity-55',
    size === 'small' ? 'h-8 px-2.5 text-note' : 'h-9 px-3.5',
    'pointer-coarse:h-10',
    LOOKS[look],
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look | undefined;
  size?: 'small' | 'normal' | undefined;
  icon?: LucideIcon | undefined;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * The second click of a double-click must not act on the control that the first one has put under the pointer: it
 * would resume a campaign that was just paused, or confirm a question that just opened.
 */
const TAKES_ONE_CLICK: readonly (Look | undefined)[] = ['primary', 'danger', 'quietDanger'];

export function Button({ look, size, icon: Icon, busy, className, children, onClick, ...rest }: ButtonProps) {
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy || (event.detail > 1 && TAKES_ONE_CLICK.includes(look))) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      // The button is not disabled while it is busy, because a disabled button loses the focus.
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy || undefined}
      onClick={click}
      className={classes(buttonClasses(look, size), busy && 'cursor-not-allowed', className)}
    >
      {busy ? (
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
      ) : (
        Icon && <Icon aria-hidden className="size-4" />
      )}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon: Icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={classes(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft pointer-coarse:size-10',
        'transition-colors hover:bg-hover hover:text-ink disabled:opacity-55',
        className,
      )}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}

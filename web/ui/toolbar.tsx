/**
 * A row of buttons with one Tab stop: the arrow keys, Home and End move between them (the toolbar pattern of
 * WAI-ARIA).
 */
import { Toolbar as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton, type IconButtonProps } from './button.tsx';

interface ToolbarProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export function Toolbar({ label, className, children }: ToolbarProps) {
  return (
    <Radix.Root aria-label={label} className={className}>
      {children}
    </Radix.Root>
  );
}

/** Must be inside a `Toolbar`. It can be the trigger of a menu. */
export function ToolbarButton(props: IconButtonProps) {
  return (
    <Radix.Button asChild>
      <IconButton {...props} />
    </Radix.Button>
  );
}

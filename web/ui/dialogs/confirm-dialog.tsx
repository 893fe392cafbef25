import type { LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { Button, type Look } from '../button.tsx';
import { TextField } from '../field.tsx';
import { useForm } from '../form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { showToast } from '../toasts.ts';

interface ConfirmDialogProps {
  title: string;
  text: string;
  action: string;
  /** A text that has to be typed first, for actions that cannot be undone. */
  typed?: string;
  run(): Promise<unknown>;
  /** Shown as a toast after success. */
  done?: string;
  /** `primary` for an action that loses nothing. */
  look?: 'primary' | 'danger';
  onClose(): void;
}

/** Asks before an action that the user may regret. */
export function ConfirmDialog({
  text,
  typed,
  run,
  done,
  look = 'danger',
  onClose,
  ...dialog
}: ConfirmDialogProps) {
  const form = useForm({ typed: '' }, async () => {
    await run();
    if (done !== undefined) showToast(done);
    onClose();
  });
  return (
    <FormDialog
      {...dialog}
      form={form}
      look={look}
      disabled={typed !== undefined && form.values.typed.trim() !== typed}
      onClose={onClose}
    >
      <p className="text-soft">{text}</p>
      {typed !== undefined && (
        <TextField label={texts.common.typeToConfirm(typed)} autoComplete="off" {...form.text('typed')} />
      )}
    </FormDialog>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'onClose' | 'look'> {
  look?: Look;
  size?: 'small' | 'normal';
  icon?: LucideIcon;
  /** Shown in the button instead of the name of the action. */
  children?: ReactNode;
}

/** A button that asks before it runs its action. */
export function ConfirmButton({ look, size, icon, children, ...dialog }: ConfirmButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        look={look}
        size={size}
        icon={icon}
        title={children ? dialog.action : undefined}
        onClick={() => setIsAsking(true)}
      >
        {children ?? dialog.action}
      </Button>
      {isAsking && <ConfirmDialog {...dialog} onClose={() => setIsAsking(false)} />}
    </>
  );
}

import type { ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { Button } from '../button.tsx';
import { Dialog, DialogActions, type DialogProps } from './dialog.tsx';
import { CopyLine } from '../copy.tsx';
import { FormError, type Submission } from '../form.tsx';

interface FormDialogProps extends DialogProps {
  form: Submission;
  /** The label of the submit button. */
  action: string;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  /** A further button, separate from submit and cancel. */
  aside?: ReactNode;
}

/** A dialog with a form: fields, the error of the whole form, and the buttons submit and cancel. */
export function FormDialog(props: FormDialogProps) {
  const { form, action, look = 'primary', disabled, aside, children, onClose, ...dialog } = props;
  return (
    // What was submitted cannot be taken back, and its error would be shown to nobody.
    <Dialog stays {...dialog} onClose={() => form.busy || onClose()}>
      <form onSubmit={form.onSubmit} className="space-y-4">
        {children}
        <DialogActions error={<FormError error={form.errorBeside()} />}>
          {aside}
          <Button disabled={form.busy} onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" look={look} busy={form.busy} disabled={disabled}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ShownOnceDialogProps extends Omit<DialogProps, 'children'> {
  /** The text to copy. */
  text: string;
  copyLabel: string;
  children?: ReactNode;
  /** Shown below the value, such as how to use it. */
  after?: ReactNode;
}

/** A dialog for a value that is shown only once. */
export function ShownOnceDialog({ text, copyLabel, children, after, ...dialog }: ShownOnceDialogProps) {
  return (
    <Dialog stays {...dialog}>
      {children}
      <CopyLine text={text} label={copyLabel} />
      {after}
      <DialogActions>
        <Button look="primary" onClick={dialog.onClose}>
          {texts.common.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

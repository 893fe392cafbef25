import type { ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions, type DialogProps } from './dialog.tsx';
import { CopyLine } from './copy.tsx';
import { FormError, type Submission } from './form.tsx';

interface FormDialogProps extends DialogProps {
  form: Submission;
  /** What the button says that sends it. */
  action: string;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  /** Another button, apart from the two. */
  aside?: ReactNode;
}

/** A question and its answer: fields, what is wrong with them as a whole, and the two ways out. */
export function FormDialog(props: FormDialogProps) {
  const { form, action, look = 'primary', disabled, aside, children, ...dialog } = props;
  return (
    <Dialog stays {...dialog}>
      <form onSubmit={form.onSubmit} className="space-y-4">
        {children}
        <FormError error={form.errorBeside()} />
        <DialogActions>
          {aside}
          <Button onClick={dialog.onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look={look} busy={form.busy} disabled={disabled}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ShownOnceDialogProps extends Omit<DialogProps, 'children'> {
  /** What is to be taken along. */
  text: string;
  copyLabel: string;
  children?: ReactNode;
}

/** Something that is shown now and never again. */
export function ShownOnceDialog({ text, copyLabel, children, ...dialog }: ShownOnceDialogProps) {
  return (
    <Dialog stays {...dialog}>
      {children}
      <CopyLine text={text} label={copyLabel} />
      <DialogActions>
        <Button look="primary" onClick={dialog.onClose}>
          {texts.common.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

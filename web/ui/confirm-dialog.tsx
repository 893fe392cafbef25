import { useState, type ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { TextField } from './field.tsx';
import { useSubmission } from './form.tsx';
import { FormDialog } from './form-dialog.tsx';

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  action: string;
  /** What has to be typed first, for what cannot be undone. */
  typed?: string;
  run(): Promise<unknown>;
  onClose(): void;
}

export function ConfirmDialog({ title, children, action, typed, run, onClose }: ConfirmDialogProps) {
  const [text, setText] = useState('');
  const form = useSubmission(async () => {
    await run();
    onClose();
  });
  return (
    <FormDialog
      title={title}
      form={form}
      action={action}
      look="danger"
      disabled={typed !== undefined && text.trim() !== typed}
      onClose={onClose}
    >
      <div className="space-y-3 text-soft">{children}</div>
      {typed !== undefined && (
        <TextField
          label={texts.common.typeToConfirm(typed)}
          value={text}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </FormDialog>
  );
}

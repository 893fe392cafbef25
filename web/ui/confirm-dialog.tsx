import { useState, type ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form.tsx';

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
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [text, setText] = useState('');

  async function confirm(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await run();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <div className="space-y-3 text-soft">{children}</div>
        {typed !== undefined && (
          <TextField
            className="mt-4"
            label={texts.common.typeToConfirm(typed)}
            value={text}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <FormError error={error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            type="submit"
            look="danger"
            busy={busy}
            disabled={typed !== undefined && text.trim() !== typed}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

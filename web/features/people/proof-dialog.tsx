import { useState, type ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { passkeyTexts as t } from '../../texts/en/passkeys.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';

interface ProofDialogProps {
  title: string;
  description: string;
  action: string;
  look?: 'primary' | 'danger';
  run(proof: { password?: string }): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}

/** A dialog for a change that needs the password, unless the person has just signed in. The server says which. */
export function ProofDialog({ run, children, ...dialog }: ProofDialogProps) {
  const [asks, setAsks] = useState(false);
  const form = useForm({ password: '' }, async ({ password }) => {
    try {
      await run(password === '' ? {} : { password });
    } catch (error) {
      if (error instanceof ApiError && error.issues.some(({ path }) => path === '/password')) setAsks(true);
      throw error;
    }
  });
  return (
    <FormDialog {...dialog} form={form}>
      {children}
      {asks && (
        <TextField
          label={t.password}
          type="password"
          autoComplete="current-password"
          {...form.text('password')}
          required
        />
      )}
    </FormDialog>
  );
}

/** The frame of the pages before signing in: one column with one form. */
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { FormError, type Submission } from '../../ui/form.tsx';
import { Horn } from '../../ui/horn.tsx';
import { useTitle } from '../../ui/page.tsx';
import { LanguageLinks } from './language-links.tsx';

interface GateProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

export function Gate({ title, lead, children }: GateProps) {
  useTitle(title);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center px-5 py-12">
      <Horn className="mb-5 size-11" />
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      {lead && <p className="mt-1.5 text-soft">{lead}</p>}
      <div className="mt-6">{children}</div>
      <LanguageLinks />
    </main>
  );
}

interface GateFormProps {
  form: Submission;
  action: string;
  children: ReactNode;
  /** The content below the button. */
  after?: ReactNode;
}

export function GateForm({ form, action, children, after }: GateFormProps) {
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      {children}
      <FormError error={form.errorBeside()} />
      <Button type="submit" look="primary" busy={form.busy} className="w-full">
        {action}
      </Button>
      {after}
    </form>
  );
}

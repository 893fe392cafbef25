import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';

const t = texts.people.forgotten;

export function ForgottenPage() {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState<{ email: string; canSend: boolean } | null>(null);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    const { canSend } = await sendJson<{ canSend: boolean }>('POST', '/auth/forgotten', { email });
    setAsked({ email: email.trim(), canSend });
  });
  return (
    <Gate title={t.title} lead={asked ? undefined : t.lead}>
      {asked ? (
        <div className="space-y-4">
          {asked.canSend && <p role="status">{t.sent(asked.email)}</p>}
          <p className="text-soft">{asked.canSend ? t.otherwise : t.cannotSend}</p>
          <CopyLine text={t.command(asked.email)} label={t.copyCommand} />
        </div>
      ) : (
        <form onSubmit={onSubmit} className="space-y-4">
          <TextField
            label={texts.common.email}
            type="email"
            value={email}
            autoComplete="username"
            autoFocus
            required
            error={errorOf('email')}
            onChange={(event) => setEmail(event.target.value)}
          />
          <FormError error={errorBeside()} />
          <Button type="submit" look="primary" busy={busy} className="w-full">
            {t.action}
          </Button>
        </form>
      )}
      <p className="mt-4 text-[0.8125rem] text-soft">
        <Link to="/sign-in" search={{}} className="rounded underline hover:text-ink">
          {t.back}
        </Link>
      </p>
    </Gate>
  );
}

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { CopyLine } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { Gate, GateForm } from './gate.tsx';

const t = peopleTexts.forgotten;

export function ForgottenPage() {
  const [asked, setAsked] = useState<{ email: string; canSend: boolean } | null>(null);
  const form = useForm({ email: '' }, async ({ email }) => {
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
        <GateForm form={form} action={t.action}>
          <TextField
            label={texts.common.email}
            type="email"
            {...form.text('email')}
            autoComplete="username"
            autoFocus
            required
          />
        </GateForm>
      )}
      <p className="mt-4 text-[0.8125rem] text-soft">
        <Link to="/sign-in" search={{}} className="rounded underline hover:text-ink">
          {t.back}
        </Link>
      </p>
    </Gate>
  );
}

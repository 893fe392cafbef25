import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog, ShownOnceDialog } from '../../ui/form-dialog.tsx';
import type { CreatedInvitation } from '../../../src/features/people/members.schema.ts';
import type { Role } from './people-types.ts';
import { useSession } from './session.ts';

const t = texts.people.team;

export function InviteDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient();
  const { role: own } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const form = useSubmission(async () => {
    setMade(await sendJson<CreatedInvitation>('POST', '/invitations', { email, role }));
    await queryClient.invalidateQueries({ queryKey: ['invitations'] });
  });

  if (made) {
    return (
      <ShownOnceDialog
        title={t.inviteMade}
        description={(made.mailed ? t.inviteMailed : t.inviteNotMailed)(made.email)}
        text={made.link}
        copyLabel={t.copyLink}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={t.invite}
      description={t.inviteText}
      form={form}
      action={t.inviteAction}
      onClose={onClose}
    >
      <TextField
        label={texts.common.email}
        type="email"
        value={email}
        autoFocus
        required
        error={form.errorOf('email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={t.role}
        hint={texts.people.roleHints[role]}
        value={role}
        error={form.errorOf('role')}
        onChange={(event) => setRole(event.target.value as Role)}
      >
        {(own === 'owner' ? (['member', 'admin', 'owner'] as const) : (['member', 'admin'] as const)).map(
          (each) => (
            <option key={each} value={each}>
              {texts.people.roles[each]}
            </option>
          ),
        )}
      </SelectField>
    </FormDialog>
  );
}

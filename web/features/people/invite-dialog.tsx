import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
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
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    setMade(await sendJson<CreatedInvitation>('POST', '/invitations', { email, role }));
    await queryClient.invalidateQueries({ queryKey: ['invitations'] });
  });

  if (made) {
    return (
      <Dialog title={t.inviteMade} description={t.inviteMadeText(made.email)} onClose={onClose}>
        <CopyLine text={made.link} label={t.copyLink} />
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            {texts.common.done}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.invite} description={t.inviteText} onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <TextField
          label={texts.common.email}
          type="email"
          value={email}
          autoFocus
          required
          error={errorOf('email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label={t.role}
          hint={texts.people.roleHints[role]}
          value={role}
          error={errorOf('role')}
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
        <FormError error={errorBeside('email', 'role')} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {t.inviteAction}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { useState } from 'react';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { FormDialog, ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';
import type { CreatedInvitation } from '../../../src/features/identity/people/members.schema.ts';
import { rolesFor, type Role } from './roles.ts';
import { useSession } from './session.ts';

const t = peopleTexts.team;

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { role: own } = useSession();
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const form = useForm<{ email: string; role: Role }>({ email: '', role: 'member' }, async (values) => {
    setMade(await sendOnce<CreatedInvitation>('/invitations', values));
    await refresh('invitations');
  });

  if (made?.link) {
    return (
      <ShownOnceDialog
        title={t.inviteMade}
        description={describeLink(made)}
        text={made.link}
        copyLabel={t.copyLink}
        onClose={onClose}
      />
    );
  }
  if (made) {
    return (
      <Dialog
        title={made.mailed ? t.inviteSent : t.inviteMade}
        description={(made.mailed ? t.inviteSentTo : t.inviteSuppressed)(made.email)}
        onClose={onClose}
      >
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            {texts.common.done}
          </Button>
        </DialogActions>
      </Dialog>
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
      <TextField label={texts.common.email} type="email" {...form.text('email')} autoFocus required />
      <SelectField
        label={t.role}
        hint={peopleTexts.roleHints[form.values.role]}
        {...form.text('role')}
        options={rolesFor(own)
          .toReversed()
          .map((each) => [each, peopleTexts.roles[each]])}
      />
    </FormDialog>
  );
}

/** Says why the link was not sent, and what follows from that. */
function describeLink({ email, notMailedBecause }: CreatedInvitation): string {
  if (notMailedBecause === 'own_mailbox') return t.inviteOwnMailbox(email);
  return (notMailedBecause === 'sandbox' ? t.inviteSandbox : t.inviteNoDomain)(email);
}

import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { texts } from '../../texts/en.ts';
import { policyTexts } from '../../texts/en/policies.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Row, Rows } from '../../ui/lists/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { allKeysQuery } from '../../api/all-keys.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { describePolicy, listOf } from './describe-policy.ts';
import { policiesQuery } from './policies-api.ts';
import { PolicyDialog } from './policy-dialog.tsx';

const t = policyTexts;

export function PoliciesPage() {
  return (
    <AdminsOnly title={t.title} icon={ShieldCheck} texts={t}>
      <Policies />
    </AdminsOnly>
  );
}

function Policies() {
  const { data: keys = [] } = useQuery(allKeysQuery);
  const [edited, setEdited] = useState<SendPolicy | null>(null);
  const [deleted, setDeleted] = useState<SendPolicy | null>(null);
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      guide="guides/assistants"
      create={{ label: t.create, dialog: (close) => <PolicyDialog policy={null} onClose={close} /> }}
    >
      <Rows
        label={t.title}
        query={useQuery(policiesQuery)}
        items={(policies) => policies}
        empty={
          <EmptyState
            icon={ShieldCheck}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
      >
        {(policy) => (
          <PolicyRow
            key={policy.id}
            policy={policy}
            users={usersOf(policy, keys)}
            edit={() => setEdited(policy)}
            remove={() => setDeleted(policy)}
          />
        )}
      </Rows>
      {edited && <PolicyDialog policy={edited} onClose={() => setEdited(null)} />}
      {deleted && (
        <DeleteDialog policy={deleted} users={usersOf(deleted, keys)} onClose={() => setDeleted(null)} />
      )}
    </ListPage>
  );
}

function usersOf({ id }: SendPolicy, keys: readonly ApiKey[]): string[] {
  return keys.flatMap(({ policyId, name }) => (policyId === id ? name : []));
}

interface PolicyRowProps {
  policy: SendPolicy;
  /** The names of the keys that use it. */
  users: readonly string[];
  edit(): void;
  remove(): void;
}

function PolicyRow({ policy, users, edit, remove }: PolicyRowProps) {
  return (
    <Row>
      <div className="min-w-0 flex-1 basis-60 py-1 break-words">
        <TextButton onClick={edit}>{policy.name}</TextButton>
        <p className="max-w-2xl text-note">{describePolicy(policy).join(' ')}</p>
        <p className="text-note text-soft">{users.length > 0 ? t.usedBy(listOf(users)) : t.unused}</p>
      </div>
      <div role="group" aria-label={t.actions(policy.name)} className="flex gap-1">
        <Button size="small" look="quiet" onClick={edit}>
          {texts.common.edit}
        </Button>
        <Button size="small" look="quietDanger" onClick={remove}>
          {texts.common.delete}
        </Button>
      </div>
    </Row>
  );
}

interface DeleteDialogProps {
  policy: SendPolicy;
  users: readonly string[];
  onClose(): void;
}

/** A policy in use stays, because its keys could otherwise send what they like. */
function DeleteDialog({ policy, users, onClose }: DeleteDialogProps) {
  if (users.length === 0)
    return (
      <ConfirmDialog
        title={t.deleteTitle(policy.name)}
        text={t.deleteText}
        action={texts.common.delete}
        run={() => deleteAndRefresh(`/send-policies/${policy.id}`, 'policies')}
        done={t.deleted}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={t.deleteTitle(policy.name)} onClose={onClose}>
      <p className="text-soft">{t.deleteUsed(listOf(users))}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

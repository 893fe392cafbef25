/** The person's passkeys. Absent where none work and the person has none. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Passkey } from '../../../src/features/identity/passkeys/passkeys.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { passkeyTexts as t } from '../../texts/en/passkeys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { Row, RowName, Rows } from '../../ui/lists/rows.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ProofDialog } from './proof-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { usePasskeys } from './ways.ts';

const PATH = '/auth/passkeys';
const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async () => (await getJson<{ items: Passkey[] }>(PATH)).items,
});

type Open =
  | { what: 'add' }
  | { what: 'new-codes' }
  | { what: 'rename' | 'delete'; passkey: Passkey }
  | { what: 'codes'; title: string; codes: string[] };

export function PasskeysSection() {
  const passkeys = useQuery(passkeysQuery);
  const isPossible = usePasskeys();
  const [open, setOpen] = useState<Open | null>(null);
  const count = passkeys.data?.length ?? 0;
  if (!isPossible && count === 0) return null;
  return (
    <Section title={t.title} description={t.lead}>
      <Rows
        label={t.title}
        query={passkeys}
        items={(data) => data}
        empty={<Card className="text-soft">{t.none}</Card>}
      >
        {(passkey) => <PasskeyRow key={passkey.id} passkey={passkey} onOpen={setOpen} />}
      </Rows>
      <div className="mt-3 flex flex-wrap gap-2">
        {isPossible && (
          <Button icon={Plus} onClick={() => setOpen({ what: 'add' })}>
            {t.add}
          </Button>
        )}
        {count > 0 && (
          <Button look="quiet" onClick={() => setOpen({ what: 'new-codes' })}>
            {t.newCodes}
          </Button>
        )}
      </div>
      {open && <OpenDialog open={open} onOpen={setOpen} />}
    </Section>
  );
}

function PasskeyRow({ passkey, onOpen }: { passkey: Passkey; onOpen(open: Open): void }) {
  const { name, host, worksHere, backedUp, lastUsedAt } = passkey;
  return (
    <Row>
      <RowName
        name={
          <>
            {name} {backedUp && <Badge>{t.backedUp}</Badge>}
          </>
        }
        note={
          !worksHere ? (
            <span className="text-warn">{t.elsewhere(host)}</span>
          ) : lastUsedAt === null ? (
            t.neverUsed
          ) : (
            <>
              {t.lastUsed} <Time at={lastUsedAt} />
            </>
          )
        }
      />
      <span className="flex">
        <IconButton
          icon={Pencil}
          label={t.renameTitle(name)}
          onClick={() => onOpen({ what: 'rename', passkey })}
        />
        <IconButton
          icon={Trash2}
          label={t.deleteNamed(name)}
          onClick={() => onOpen({ what: 'delete', passkey })}
        />
      </span>
    </Row>
  );
}

function OpenDialog({ open, onOpen }: { open: Open; onOpen(open: Open | null): void }) {
  const onClose = () => onOpen(null);
  if (open.what === 'codes')
    return (
      <RecoveryCodesDialog
        title={open.title}
        description={t.codesText}
        codes={open.codes}
        onClose={onClose}
      />
    );
  if (open.what === 'add') return <AddDialog onOpen={onOpen} />;
  if (open.what === 'new-codes')
    return (
      <ProofDialog
        title={t.newCodes}
        description={t.newCodesText}
        action={t.newCodes}
        run={async (proof) => {
          const path = '/auth/recovery-codes';
          const { recoveryCodes } = await sendJson<{ recoveryCodes: string[] }>('POST', path, proof);
          onOpen({ what: 'codes', title: t.codesDone, codes: recoveryCodes });
        }}
        onClose={onClose}
      />
    );
  if (open.what === 'rename') return <RenameDialog passkey={open.passkey} onClose={onClose} />;
  const { id, name } = open.passkey;
  return (
    <ProofDialog
      title={t.deleteTitle(name)}
      description={t.deleteText}
      action={t.delete}
      look="danger"
      run={async (proof) => {
        await sendJson('DELETE', `${PATH}/${id}`, proof);
        await refresh(...passkeysQuery.queryKey);
        showToast(t.deleted);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function AddDialog({ onOpen }: { onOpen(open: Open | null): void }) {
  const [name, setName] = useState('');
  return (
    <ProofDialog
      title={t.add}
      description={t.addText}
      action={texts.common.add}
      run={async ({ password = '' }) => {
        const { addPasskey } = await import('./passkey-browser.ts');
        const { recoveryCodes } = await addPasskey(name, password);
        await refresh(...passkeysQuery.queryKey);
        showToast(t.added);
        onOpen(recoveryCodes && { what: 'codes', title: t.codesDone, codes: recoveryCodes });
      }}
      onClose={() => onOpen(null)}
    >
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        maxLength={100}
        autoFocus
        required
      />
    </ProofDialog>
  );
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const form = useForm({ name: passkey.name }, async (values) => {
    await sendJson('PATCH', `${PATH}/${passkey.id}`, values);
    await refresh(...passkeysQuery.queryKey);
    onClose();
  });
  return (
    <FormDialog title={t.renameTitle(passkey.name)} action={texts.common.save} form={form} onClose={onClose}>
      <TextField label={t.name} {...form.text('name')} autoComplete="off" autoFocus required />
    </FormDialog>
  );
}

/** The rules of a mailbox: a list, or the form of one rule. */
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Rule } from '../../../../src/features/mailboxes/rules/rules.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { deleteAndRefresh } from '../../../api/delete-and-refresh.ts';
import { texts } from '../../../texts/en.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { act } from '../../../ui/act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Row, RowName, Rows } from '../../../ui/lists/rows.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { rulesQuery } from './arrival-api.ts';
import { RuleForm } from './rule-form.tsx';

const t = arrivalTexts.rules;

export function RulesDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  const mailboxId = mailbox.id;
  const rules = useQuery(rulesQuery(mailboxId));
  const [edited, setEdited] = useState<Rule | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Rule | null>(null);
  return (
    <Dialog wide stays title={t.title} description={t.lead} onClose={onClose}>
      {edited === null ? (
        <>
          <div className="mb-3 flex justify-end">
            {mayChange(mailbox) ? (
              <Button icon={Plus} onClick={() => setEdited('new')}>
                {t.add}
              </Button>
            ) : (
              <p className="grow text-sm text-soft">{t.readOnly}</p>
            )}
          </div>
          <Rows
            label={t.title}
            query={rules}
            items={(data) => data}
            empty={<EmptyState icon={Workflow} title={t.none} text={t.noneText} />}
          >
            {(rule) => (
              <RuleRow
                key={rule.id}
                mailbox={mailbox}
                rule={rule}
                edit={() => setEdited(rule)}
                remove={() => setDeleted(rule)}
              />
            )}
          </Rows>
        </>
      ) : (
        <RuleForm
          mailboxId={mailboxId}
          rule={edited === 'new' ? null : edited}
          done={() => setEdited(null)}
        />
      )}
      {deleted && (
        <ConfirmDialog
          title={t.deleteTitle(deleted.name)}
          text={t.deleteText}
          action={texts.common.delete}
          run={() =>
            deleteAndRefresh(`/mailboxes/${mailboxId}/rules/${deleted.id}`, ...rulesQuery(mailboxId).queryKey)
          }
          onClose={() => setDeleted(null)}
        />
      )}
    </Dialog>
  );
}

/** As the server decides about rules. */
function mayChange({ role }: Mailbox): boolean {
  return role === 'manage';
}

interface RuleRowProps {
  mailbox: Mailbox;
  rule: Rule;
  edit(): void;
  remove(): void;
}

function RuleRow({ mailbox, rule, edit, remove }: RuleRowProps) {
  const toggle = () =>
    act(() => sendJson('PATCH', `/mailboxes/${mailbox.id}/rules/${rule.id}`, { enabled: !rule.enabled }), {
      refreshes: rulesQuery(mailbox.id).queryKey,
    });
  return (
    <Row>
      <input
        type="checkbox"
        className="size-4 accent-(--ink)"
        aria-label={t.enabled(rule.name)}
        checked={rule.enabled}
        disabled={!mayChange(mailbox)}
        onChange={() => void toggle()}
      />
      <RowName name={rule.name} note={noteOf(rule)} />
      {mayChange(mailbox) && (
        <>
          <IconButton icon={Pencil} label={`${texts.common.edit} ${rule.name}`} onClick={edit} />
          <IconButton icon={Trash2} label={`${texts.common.delete} ${rule.name}`} onClick={remove} />
        </>
      )}
    </Row>
  );
}

function noteOf({ disabled_reason: reason, last_run: last, actions }: Rule): string {
  if (reason) return t.off(reason);
  if (last?.error) return t.failed(last.error);
  const pending = actions.find((action) => action.type === 'forward' && action.pending);
  if (pending?.type === 'forward') return t.pending(pending.to);
  return actions.map(({ type }) => t.types[type] ?? type).join(', ');
}

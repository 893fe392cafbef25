/** The rules of a mailbox: a list, or the form of one rule. */
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Workflow } from 'lucide-react';
import { useState } from 'react';
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

export function RulesDialog({ mailboxId, onClose }: { mailboxId: string; onClose(): void }) {
  const rules = useQuery(rulesQuery(mailboxId));
  const [edited, setEdited] = useState<Rule | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Rule | null>(null);
  return (
    <Dialog wide stays title={t.title} description={t.lead} onClose={onClose}>
      {edited === null ? (
        <>
          <div className="mb-3 flex justify-end">
            <Button icon={Plus} onClick={() => setEdited('new')}>
              {t.add}
            </Button>
          </div>
          <Rows
            label={t.title}
            query={rules}
            items={(data) => data}
            empty={<EmptyState icon={Workflow} title={t.none} text={t.noneText} />}
          >
            {(rule) => (
              <Row key={rule.id}>
                <input
                  type="checkbox"
                  className="size-4 accent-(--ink)"
                  aria-label={t.enabled(rule.name)}
                  checked={rule.enabled}
                  onChange={() =>
                    void act(
                      () =>
                        sendJson('PATCH', `/mailboxes/${mailboxId}/rules/${rule.id}`, {
                          enabled: !rule.enabled,
                        }),
                      { refreshes: rulesQuery(mailboxId).queryKey },
                    )
                  }
                />
                <RowName name={rule.name} note={noteOf(rule)} />
                <IconButton
                  icon={Pencil}
                  label={`${texts.common.edit} ${rule.name}`}
                  onClick={() => setEdited(rule)}
                />
                <IconButton
                  icon={Trash2}
                  label={`${texts.common.delete} ${rule.name}`}
                  onClick={() => setDeleted(rule)}
                />
              </Row>
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

function noteOf({ disabled_reason: reason, last_run: last, actions }: Rule): string {
  if (reason) return t.off(reason);
  if (last?.error) return t.failed(last.error);
  const pending = actions.find((action) => action.type === 'forward' && action.pending);
  if (pending?.type === 'forward') return t.pending(pending.to);
  return actions.map(({ type }) => t.types[type] ?? type).join(', ');
}

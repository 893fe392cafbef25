import type { ReactNode } from 'react';
import type { AuditEntry } from '../../../src/features/audit/audit.schema.ts';
import { texts } from '../../texts/en.ts';
import { auditTexts } from '../../texts/en/audit.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { SourceText } from '../emails/message-source.tsx';

const t = auditTexts;

export function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose(): void }) {
  const { at, actor, action, target, before, after, requestId } = entry;
  const states = [
    [t.before, before],
    [t.after, after],
  ] as const;
  const facts: (readonly [string, ReactNode])[] = [
    [t.when, <Time key="at" at={at} precise />],
    [t.who, actor.name ?? t.kinds[actor.kind]],
    [t.actorId, actor.id],
    [t.ip, actor.ip],
    [t.target, target],
    [t.request, requestId],
  ];
  const hasStates = states.some(([, state]) => state !== null);
  return (
    <Dialog wide title={t.action(action)} description={t.entry} onClose={onClose}>
      <dl className="mb-5 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className="contents">
                <dt className="text-soft">{name}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {states.map(
        ([name, state]) =>
          state !== null && (
            <div key={name} className="mb-4">
              <h3 className="mb-2 font-medium">{name}</h3>
              <SourceText raw={JSON.stringify(state, null, 2)} label={name} />
            </div>
          ),
      )}
      {!hasStates && <p className="text-soft">{t.noDetails}</p>}
      <DialogActions>
        <Button onClick={onClose}>{texts.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

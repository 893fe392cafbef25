/** The actions on one delivery, or on all that the filters select. */
import { CirclePause, CirclePlay, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeError } from '../../api/describe-error.ts';
import { refresh } from '../../api/query-client.ts';
import { queueTexts } from '../../texts/en/queue.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toasts.ts';
import { changeQueue, type QueueAction } from './queue-api.ts';

const t = queueTexts;
const ICONS = { retry: RotateCcw, hold: CirclePause, release: CirclePlay };

export type QueueTarget = Parameters<typeof changeQueue>[1];

interface QueueMenuProps {
  trigger: ReactNode;
  target: QueueTarget;
  actions: readonly (keyof typeof ICONS)[];
  onDrop(): void;
}

export function QueueMenu({ trigger, target, actions, onDrop }: QueueMenuProps) {
  return (
    <Menu trigger={trigger}>
      {actions.map((action) => (
        <MenuItem key={action} icon={ICONS[action]} onSelect={() => void runWithToast(action, target)}>
          {t.actions[action]}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={Trash2} danger onSelect={onDrop}>
        {t.actions.drop}
      </MenuItem>
    </Menu>
  );
}

async function runWithToast(action: QueueAction, target: QueueTarget): Promise<void> {
  await runAction(action, target).catch((error: unknown) => showToast(describeError(error), { tone: 'bad' }));
}

/** Shows as toasts how many deliveries were changed, and how many were not because they are being sent. */
export async function runAction(action: QueueAction, target: QueueTarget): Promise<void> {
  try {
    const { changed, busy } = await changeQueue(action, target);
    showToast(t.done[action](changed));
    if (busy > 0) showToast(t.busy(busy));
  } finally {
    await refresh('queue');
  }
}

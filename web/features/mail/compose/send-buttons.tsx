import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { actionTexts as a } from '../../../texts/en/mail-actions.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuCheck, MenuChoice, MenuSeparator } from '../../../ui/menu.tsx';
import { isLeaving } from './composer-state.ts';
import { LaterItems, PickTimeDialog } from './later-menu.tsx';
import type { Composer } from './use-composer.ts';

const t = mailTexts.later;
const REMINDERS = [
  ['', a.remindNever] as const,
  ...[2, 4, 7].map((days) => [String(days), a.remindIn(days)] as const),
];

/** Sends now, or at a time that is chosen from a menu. */
export function SendButtons({ composer }: { composer: Composer }) {
  const [isPicking, setIsPicking] = useState(false);
  const [cancelIfReplied, setCancelIfReplied] = useState(false);
  const isSending = isLeaving(composer.state);
  const send = (at: Date | null) => composer.send(at, { cancelIfReplied: at !== null && cancelIfReplied });
  return (
    <div className="flex">
      <Button
        look="primary"
        size="small"
        className="rounded-r-none"
        busy={isSending}
        aria-keyshortcuts="Control+Enter"
        onClick={() => send(null)}
      >
        {mailTexts.compose.send}
      </Button>
      <Menu
        align="start"
        trigger={
          <Button
            look="primary"
            size="small"
            disabled={isSending}
            aria-label={t.menu}
            title={t.menu}
            className="rounded-l-none border-l-paper/40 px-1.5"
          >
            <ChevronDown aria-hidden className="size-4" />
          </Button>
        }
      >
        <LaterItems choose={send} pick={() => setIsPicking(true)} />
        <MenuSeparator />
        <MenuCheck checked={cancelIfReplied} onChange={setCancelIfReplied}>
          {t.cancelIfReplied}
        </MenuCheck>
        <MenuSeparator />
        <MenuChoice
          label={a.remind}
          value={String(composer.options.remindDays ?? '')}
          options={REMINDERS}
          onChange={(days) => composer.setOptions({ remindDays: days === '' ? null : Number(days) })}
        />
      </Menu>
      {isPicking && <PickTimeDialog choose={send} onClose={() => setIsPicking(false)} />}
    </div>
  );
}

import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuCheck, MenuSeparator } from '../../../ui/menu.tsx';
import { isLeaving } from './composer-state.ts';
import { LaterItems, PickTimeDialog } from './later-menu.tsx';
import type { Composer } from './use-composer.ts';

const t = mailTexts.later;

/** Sends now, or at a time that is chosen from a menu. */
export function SendButtons({ composer }: { composer: Composer }) {
  const [isPicking, setIsPicking] = useState(false);
  const [cancelIfReplied, setCancelIfReplied] = useState(false);
  const isSending = isLeaving(composer.state);
  const later = (at: Date) => composer.send(at, cancelIfReplied);
  return (
    <div className="flex">
      <Button
        look="primary"
        size="small"
        className="rounded-r-none"
        busy={isSending}
        aria-keyshortcuts="Control+Enter"
        onClick={() => composer.send(null)}
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
        <LaterItems choose={later} pick={() => setIsPicking(true)} />
        <MenuSeparator />
        <MenuCheck checked={cancelIfReplied} onChange={setCancelIfReplied}>
          {t.cancelIfReplied}
        </MenuCheck>
      </Menu>
      {isPicking && <PickTimeDialog choose={later} onClose={() => setIsPicking(false)} />}
    </div>
  );
}

/** What is known about the author of a message: beside the conversation where there is room, otherwise in a dialog. */
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { texts } from '../../../texts/en.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { useMediaQuery } from '../../../ui/use-media-query.ts';
import { personQuery } from '../arrival/arrival-api.ts';
import { PersonFacts } from './person-facts.tsx';

const WIDE = '(min-width: 96rem)';

interface PersonPanelProps {
  mailbox: Mailbox;
  email: string;
  onClose(): void;
}

export function PersonPanel({ mailbox, email, onClose }: PersonPanelProps) {
  const isWide = useMediaQuery(WIDE);
  const name = useQuery(personQuery(email)).data?.names[0] ?? email;
  if (!isWide)
    return (
      <Dialog title={name} description={email} onClose={onClose}>
        <PersonFacts mailbox={mailbox} email={email} onLeave={onClose} />
      </Dialog>
    );
  return (
    <aside
      aria-label={arrivalTexts.person.open}
      className="sticky top-0 h-dvh w-80 shrink-0 overflow-y-auto border-l border-line bg-panel px-4 pt-3 pb-8 print:hidden"
    >
      <div className="mb-4 flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="truncate font-semibold">{name}</h2>
          <p className="truncate text-note text-soft">{email}</p>
        </div>
        <IconButton icon={X} label={texts.common.close} onClick={onClose} />
      </div>
      <PersonFacts key={email} mailbox={mailbox} email={email} />
    </aside>
  );
}

/** Messages that were just sent and can still be undone. The countdown uses the server's clock. */
import type { MessageAccepted } from '../../../../src/features/mailboxes/writing/sending.schema.ts';
import { sharedValue } from '../../../api/shared-value.ts';

export interface OutboxNote {
  messageId: string;
  mailboxId: string;
  sendAt: Date;
  isLater: boolean;
}

const notes = sharedValue<readonly OutboxNote[]>([]);

export function noteSent(mailboxId: string, accepted: MessageAccepted, isLater: boolean): void {
  const note = {
    messageId: accepted.id,
    mailboxId,
    sendAt: new Date(accepted.send_at),
    isLater,
  };
  notes.set([...notes.get().slice(-2), note]);
}

export function dropNote(messageId: string): void {
  notes.set(notes.get().filter((note) => note.messageId !== messageId));
}

export function lastNote(): OutboxNote | undefined {
  return notes.get().at(-1);
}

export const useOutboxNotes = notes.use;

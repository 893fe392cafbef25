/** Messages that were just sent and can still be undone. The countdown uses the server's clock. */
import { useSyncExternalStore } from 'react';
import type { MessageAccepted } from '../../../../src/features/mailboxes/writing/sending.schema.ts';

export interface OutboxNote {
  messageId: string;
  mailboxId: string;
  sendAt: Date;
  isLater: boolean;
}

let notes: readonly OutboxNote[] = [];
const listeners = new Set<() => void>();

function set(next: readonly OutboxNote[]): void {
  notes = next;
  for (const listener of listeners) listener();
}

export function noteSent(mailboxId: string, accepted: MessageAccepted, isLater: boolean): void {
  const note = {
    messageId: accepted.id,
    mailboxId,
    sendAt: new Date(accepted.send_at),
    isLater,
  };
  set([...notes.slice(-2), note]);
}

export function dropNote(messageId: string): void {
  set(notes.filter((note) => note.messageId !== messageId));
}

export function lastNote(): OutboxNote | undefined {
  return notes.at(-1);
}

export function useOutboxNotes(): readonly OutboxNote[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notes,
  );
}

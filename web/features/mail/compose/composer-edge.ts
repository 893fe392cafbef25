/** The objects that the effects of a composer use, and the form in which a message is sent to the server. */
import type { RefObject } from 'react';
import type { ComposerEvent, ComposerState } from './composer-state.ts';
import type { ComposeContent, Composition } from './compositions.ts';
import type { DraftSaver } from './draft-saver.ts';
import type { EditorHandle } from './editor/editor.tsx';
import { toMailHtml } from './editor/mail-html.ts';
import type { TagFilling } from './editor/tag-filling.ts';
import type { DraftBody } from './unsaved.ts';

/** What is chosen for the message beside its content. Drafts do not keep it. */
export interface SendOptions {
  /** Null: the address that the message was sent to, or the first of the mailbox. */
  from: string | null;
  /** Whether the default signature is put below the text. */
  signature: boolean;
  /** The last saved reply that was inserted. */
  savedReplyId: string | null;
  /** After how many days the conversation comes back if nobody answers. */
  remindDays: number | null;
}

export interface ComposerEdge {
  /** The current entry in the list of compositions. */
  composition: Composition;
  saver: DraftSaver;
  tags: TagFilling;
  editor: RefObject<EditorHandle | null>;
  /** The newest message of the thread that the writer has seen. */
  seenMessageId: string | null;
  options: SendOptions;
  stateNow(): ComposerState;
  dispatch(event: ComposerEvent): void;
}

export function toBody({ to, cc, bcc, subject, html, quoted }: ComposeContent): DraftBody {
  return { to, cc, bcc, subject, html: toMailHtml(html) + quoted };
}

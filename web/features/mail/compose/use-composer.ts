/** One composer on the page: holds its state, runs its effects, and provides the values and functions of its parts. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { SavedReply } from '../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import type { ThreadWithMessages } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { threadQuery } from '../live/mail-api.ts';
import { describeError } from '../../../api/describe-error.ts';
import { showToast } from '../../../ui/toasts.ts';
import type { ComposerEdge, SendOptions } from './composer-edge.ts';
import { runEffect } from './composer-effects.ts';
import {
  nextComposerState,
  startComposer,
  type ComposerEvent,
  type ComposerState,
  type SendPlan,
} from './composer-state.ts';
import type { Composition } from './compositions.ts';
import { DraftSaver } from './draft-saver.ts';
import type { EditorHandle } from './editor/editor.tsx';
import { copyFilesOf, embedImage, removeFile, takeFiles } from './file-effects.ts';
import type { ComposeFile } from './file-state.ts';
import { toEditorHtml } from './editor/mail-html.ts';
import { recipientOf, TagFilling } from './editor/tag-filling.ts';

export interface Composer {
  mailboxId: string;
  state: ComposerState;
  /** The initial content of the editor. */
  startHtml: string;
  editor: RefObject<EditorHandle | null>;
  dispatch(event: ComposerEvent): void;
  options: SendOptions;
  setOptions(part: Partial<SendOptions>): void;
  send(at: SendPlan['at'], more?: Partial<Omit<SendPlan, 'at'>>): void;
  takeFiles(files: File[]): void;
  embed(file: File): { src: string; cid: string };
  removeFile(file: ComposeFile): void;
  insertReply(reply: SavedReply): Promise<void>;
}

export function useComposer(composition: Composition): Composer {
  const [start] = useState(() => startComposer(composition));
  const [state, setState] = useState(start);
  const editor = useRef<EditorHandle>(null);
  const [edge] = useState(() => createEdge(composition, start, editor, setState));
  edge.composition = composition;
  const [options, setOptions] = useState(edge.options);
  const [startHtml] = useState(() =>
    toEditorHtml(start.content.html, composition.draftId, composition.attachments),
  );
  useSaving(edge, composition);
  useEffect(() => {
    const { forwards } = composition;
    composition.forwards = null;
    if (forwards) void copyFilesOf(edge, forwards);
    // Run only once, when it is opened.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return {
    mailboxId: composition.mailboxId,
    state,
    startHtml,
    editor,
    dispatch: edge.dispatch,
    options,
    setOptions(part) {
      edge.options = { ...edge.options, ...part };
      setOptions(edge.options);
      // It is another message now, as after a change of its text.
      edge.dispatch({ type: 'changed', part: {} });
    },
    send: (at, more = {}) => edge.dispatch({ type: 'send', plan: { at, cancelIfReplied: false, ...more } }),
    takeFiles: (files) => takeFiles(edge, files),
    embed: (file) => embedImage(edge, file),
    removeFile: (file) => void removeFile(edge, file),
    async insertReply(reply) {
      await insertReply(edge, reply);
      setOptions(edge.options);
    },
  };
}

function createEdge(
  composition: Composition,
  start: ComposerState,
  editor: RefObject<EditorHandle | null>,
  show: (state: ComposerState) => void,
): ComposerEdge {
  let state = start;
  const edge: ComposerEdge = {
    composition,
    saver: new DraftSaver(composition),
    seenMessageId: newestSeen(composition),
    options: { from: null, signature: true, savedReplyId: null, remindDays: null },
    tags: new TagFilling(composition.mailboxId, start.content.to, editor),
    editor,
    stateNow: () => state,
    dispatch(event) {
      const [next, effects] = nextComposerState(state, event);
      state = next;
      show(next);
      for (const effect of effects) runEffect(edge, effect);
    },
  };
  return edge;
}

/** The newest message of the thread when the composer was opened. */
function newestSeen({ mailboxId, threadId }: Composition): string | null {
  if (threadId === null) return null;
  const thread = queryClient.getQueryData<ThreadWithMessages>(threadQuery(mailboxId, threadId).queryKey);
  return thread?.messages.findLast(({ status }) => status !== 'draft')?.id ?? null;
}

/** Follows the saver of the draft, and saves the rest when the composer or the page closes. */
function useSaving({ saver, dispatch }: ComposerEdge, composition: Composition): void {
  useEffect(() => {
    saver.onStatus = (status) => dispatch({ type: 'saver-reported', status });
    saver.onDraft = ({ id, created_at, attachments }) => {
      Object.assign(composition, { draftId: id, savedAt: created_at, attachments });
      dispatch({ type: 'draft-stored', draftId: id });
    };
    const leave = () => saver.leave();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      void saver.flush();
    };
  }, [composition, saver, dispatch]);
}

/** Inserts a saved reply. Its tags are filled in if the message has a recipient. */
async function insertReply(edge: ComposerEdge, reply: SavedReply): Promise<void> {
  const { composition, editor, stateNow } = edge;
  const to = recipientOf(stateNow().content.to);
  try {
    // Its files are sent with the message, and its actions are done then.
    edge.options = { ...edge.options, savedReplyId: reply.id };
    if (to === null) {
      editor.current?.insert(reply.html);
      return;
    }
    const path = `/mailboxes/${composition.mailboxId}/saved-replies/${reply.id}/fill`;
    const { html } = await sendJson<{ html: string }>('POST', path, { to });
    editor.current?.insert(html);
  } catch (thrown) {
    showToast(describeError(thrown), { tone: 'bad' });
  }
}

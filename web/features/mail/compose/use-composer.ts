/** What a composer knows and does: its content, its draft, its files, and the sending of it. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { SavedReply } from '../../../../src/features/saved-replies/saved-replies.schema.ts';
import type { MessageAccepted } from '../../../../src/features/threads/sending.schema.ts';
import type { Message } from '../../../../src/features/threads/threads.schema.ts';
import { ApiError, getJson, sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { queryClient } from '../../../api/query-client.ts';
import { isBlankHtml } from '../../../editor/blank.ts';
import { findTags } from '../../../editor/merge-tags.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { noteSent } from '../outbox-notes.ts';
import { isAddress } from '../people.ts';
import { openDraft } from './answers.ts';
import { endComposition, type ComposeContent, type Composition } from './compositions.ts';
import { DraftSaver, type DraftBody, type SaverStatus } from './draft-saver.ts';
import type { EditorHandle } from './editor.tsx';
import { toEditorHtml, toMailHtml } from './mail-html.ts';
import { useFiles, type ComposeFile } from './use-files.ts';
import { recipientOf, tagsIn, useTagFilling } from './use-tag-filling.ts';

const t = mailTexts.compose;

interface SendOptions {
  cancelIfReplied: boolean;
}

export interface Composer {
  mailboxId: string;
  content: ComposeContent;
  startHtml: string;
  status: SaverStatus;
  error: string | null;
  isSending: boolean;
  files: readonly ComposeFile[];
  editor: RefObject<EditorHandle | null>;
  change(part: Partial<ComposeContent>): void;
  takeFiles(files: File[]): void;
  embed(file: File): { src: string; cid: string };
  removeFile(file: ComposeFile): Promise<void>;
  insertReply(reply: SavedReply): Promise<void>;
  /** Null: now, but for the moment in which it can be undone. */
  send(at: Date | null, options?: SendOptions): Promise<void>;
  /** It waits for an answer: does it go without a subject, or with tags that are not filled in? Null where nothing was asked. */
  question: { about: 'subject' | 'tags'; tags: string[]; sendAnyway(): void; goBack(): void } | null;
  /** Whether somebody would miss it. */
  isWorthKeeping: boolean;
  discard(): Promise<void>;
  close(): void;
  loadTheirs(): Promise<void>;
  keepMine(): Promise<void>;
}

export function useComposer(composition: Composition): Composer {
  const { key, mailboxId, threadId } = composition;
  const [content, setContent] = useState<ComposeContent>(() => contentOf(composition));
  const [status, setStatus] = useState<SaverStatus>('idle');
  const [error, setError] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [asks, setAsks] = useState<{
    about: 'subject' | 'tags';
    tags: string[];
    at: Date | null;
    options: SendOptions | undefined;
  } | null>(null);
  const allowed = useRef({ subject: false, tags: false });
  const [saver] = useState(() => new DraftSaver(composition));
  const [startHtml] = useState(() =>
    toEditorHtml(content.html, composition.draftId, composition.attachments),
  );
  const latest = useRef(content);
  const editor = useRef<EditorHandle>(null);
  /** The same for every try of the same message, so that it goes out once. */
  const sendKey = useRef<string | null>(null);
  const bodyNow = () => toBody(latest.current);
  const { files, add, remove, copyFrom, isUploading } = useFiles({
    mailboxId,
    saver,
    start: composition.attachments,
    bodyNow,
  });
  const { fillTags } = useTagFilling(mailboxId, content.to, editor);
  const isChecking = useRef(false);

  useEffect(() => {
    saver.onStatus = setStatus;
    saver.onDraft = ({ id, created_at, attachments }) =>
      Object.assign(composition, { draftId: id, savedAt: created_at, attachments });
    const leave = () => saver.leave();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      void saver.flush();
    };
  }, [saver, composition]);

  useEffect(() => {
    const { forwards } = composition;
    composition.forwards = null;
    if (forwards) void copyFrom(forwards);
    // Once, when it is opened.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  function change(part: Partial<ComposeContent>): void {
    latest.current = { ...latest.current, ...part };
    // Whoever comes back to this conversation finds it as it was left.
    Object.assign(composition, latest.current);
    sendKey.current = null;
    allowed.current.tags = false;
    setError(null);
    setContent(latest.current);
    saver.change(bodyNow());
    if (part.to) void fillTags(part.to);
  }

  function takeFiles(taken: File[]): void {
    for (const file of taken) {
      if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type) || !editor.current?.editor?.isFocused) {
        void add(file);
        continue;
      }
      const { src, cid } = embed(file);
      editor.current.insertImage(src, cid, file.name);
    }
  }

  function embed(file: File): { src: string; cid: string } {
    const cid = `${crypto.getRandomValues(new Uint32Array(2)).join('')}@posthorn`;
    void add(file, cid);
    return { src: URL.createObjectURL(file), cid };
  }

  async function insertReply(reply: SavedReply): Promise<void> {
    const to = recipientOf(latest.current.to);
    try {
      if (to === null) {
        editor.current?.insert(reply.html);
        return;
      }
      const { html } = await sendJson<{ html: string }>(
        'POST',
        `/mailboxes/${mailboxId}/saved-replies/${reply.id}/fill`,
        { to },
      );
      editor.current?.insert(html);
    } catch (thrown) {
      showToast(describeError(thrown), { tone: 'bad' });
    }
  }

  function whatIsMissing(): string | null {
    const { to, cc, bcc, html, quoted } = latest.current;
    const wrong = [...to, ...cc, ...bcc].find((person) => !isAddress(person));
    if (to.length === 0) return t.noRecipient;
    if (wrong !== undefined) return `${t.invalid(wrong)}.`;
    if (isUploading) return t.stillUploading;
    return isBlankHtml(html) && quoted === '' && files.length === 0 ? t.noContent : null;
  }

  async function send(at: Date | null, options?: SendOptions): Promise<void> {
    if (isChecking.current) return;
    isChecking.current = true;
    // What stands in the field of an address counts: leaving the field makes it a chip.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
    await Promise.resolve();
    await fillTags(latest.current.to);
    isChecking.current = false;
    const missing = whatIsMissing();
    setError(missing);
    if (missing !== null || isSending) return;
    const { subject, html } = latest.current;
    if (subject.trim() === '' && !allowed.current.subject) {
      setAsks({ about: 'subject', tags: [], at, options });
      return;
    }
    // What is quoted was written by others, and stays as it is.
    const inSubject = findTags(subject).map(({ name }) => name);
    const tags = [...new Set([...inSubject, ...tagsIn(html)])];
    if (tags.length > 0 && !allowed.current.tags) {
      setAsks({ about: 'tags', tags, at, options });
      return;
    }
    setIsSending(true);
    try {
      const accepted = await submit(at, options?.cancelIfReplied ?? false);
      saver.end();
      noteSent(mailboxId, accepted, at !== null);
      endComposition(key);
      void queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
    } catch (thrown) {
      explain(thrown);
      setIsSending(false);
    }
  }

  async function submit(at: Date | null, cancelIfReplied: boolean): Promise<MessageAccepted> {
    const unused = files.filter(({ contentId }) => contentId && !bodyNow().html.includes(`cid:${contentId}`));
    for (const file of unused) await remove(file);
    await saver.flush();
    const body = bodyNow();
    sendKey.current ??= `send-${key}-${crypto.getRandomValues(new Uint32Array(2)).join('')}`;
    return sendJson<MessageAccepted>(
      'POST',
      `/mailboxes/${mailboxId}/messages`,
      {
        ...body,
        html: isBlankHtml(body.html) ? '<p></p>' : body.html,
        draft_id: saver.draftId,
        thread_id: threadId,
        send_at: at?.toISOString() ?? null,
        cancel_if_replied: cancelIfReplied,
      },
      { 'idempotency-key': sendKey.current },
    );
  }

  function explain(thrown: unknown): void {
    const failure = thrown instanceof ApiError ? thrown : null;
    // Whether it arrived is not known: the next try is the same request, so it cannot go out twice.
    const isUncertain = failure === null || failure.status === 0 || failure.status >= 500;
    if (!isUncertain) sendKey.current = null;
    if (failure?.status === 404) setStatus('gone');
    setError(isUncertain ? t.notSent : describeError(thrown));
  }

  /** An answer begins with its people and subject: as long as nobody added to them, it is only a click away. */
  function isWorthKeeping(): boolean {
    const { to, cc, bcc, subject, html, quoted } = content;
    if (!isBlankHtml(html) || files.length > 0) return true;
    const isUntouched = status === 'idle' && saver.draftId === null;
    return !isUntouched && [...to, ...cc, ...bcc, subject, quoted].some((part) => part !== '');
  }

  async function discard(): Promise<void> {
    saver.end();
    endComposition(key);
    try {
      if (saver.draftId) await sendJson('DELETE', `/mailboxes/${mailboxId}/drafts/${saver.draftId}`);
      if (isWorthKeeping()) showToast(t.discarded);
    } catch (thrown) {
      // The window is gone, and with it the place to say it at.
      showToast(describeError(thrown), { tone: 'bad' });
    }
    void queryClient.invalidateQueries({ queryKey: ['mail', mailboxId] });
  }

  async function loadTheirs(): Promise<void> {
    const draft = await getJson<Message>(`/mailboxes/${mailboxId}/drafts/${saver.draftId}`);
    saver.end();
    endComposition(key);
    openDraft(mailboxId, draft, composition.place);
  }

  return {
    mailboxId,
    content,
    startHtml,
    status,
    error,
    isSending,
    files,
    editor,
    change,
    takeFiles,
    embed,
    removeFile: remove,
    insertReply,
    send,
    question: asks && {
      about: asks.about,
      tags: asks.tags,
      sendAnyway() {
        allowed.current[asks.about] = true;
        setAsks(null);
        void send(asks.at, asks.options);
      },
      goBack: () => setAsks(null),
    },
    isWorthKeeping: isWorthKeeping(),
    discard,
    close: () => endComposition(key),
    loadTheirs,
    keepMine: () => saver.overwrite(bodyNow()),
  };
}

function contentOf({ to, cc, bcc, subject, html, quoted }: Composition): ComposeContent {
  return { to, cc, bcc, subject, html, quoted };
}

function toBody({ to, cc, bcc, subject, html, quoted }: ComposeContent): DraftBody {
  return { to, cc, bcc, subject, html: toMailHtml(html) + quoted };
}

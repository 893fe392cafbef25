/**
 * Saves a draft on the server whenever typing pauses. Until that has succeeded, a copy stays in the browser, so that
 * neither a closed tab nor a lost connection loses it. Requests run one at a time, in order. A draft that someone else
 * saved in the meantime is never overwritten without asking.
 */
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { ApiError, apiUrl, sendJson } from '../../../api/client.ts';
import { hasSessionEnded } from '../../../api/query-client.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { showToast } from '../../../ui/toasts.ts';
import { firstSaveKey, forgetUnsaved, keepUnsaved, type DraftBody } from './unsaved.ts';

export type SaverStatus =
  'idle' | 'unsaved' | 'saving' | 'saved' | 'failed' | 'signed-out' | 'conflict' | 'gone';

interface DraftPlace {
  key: string;
  mailboxId: string;
  threadId: string | null;
  draftId: string | null;
  savedAt: string | null;
}

const PAUSE_MS = 800;
const TRY_AGAIN_MS = 4_000;
const KEEPALIVE_BYTES = 60_000;

export class DraftSaver {
  readonly #place: DraftPlace;
  #pending: DraftBody | null = null;
  #timer: number | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #isOver = false;
  /** The body of the first save until its success is certain. Repeating it creates the same draft. */
  #first: DraftBody | null = null;
  onStatus: (status: SaverStatus) => void = () => {};
  /** Called with the current draft of the server. */
  onDraft: (draft: Message) => void = () => {};

  constructor(place: DraftPlace) {
    this.#place = { ...place };
  }

  get draftId(): string | null {
    return this.#place.draftId;
  }

  change(body: DraftBody): void {
    if (this.#isOver) return;
    this.#pending = body;
    keepUnsaved({ ...this.#place, body });
    this.onStatus('unsaved');
    this.#schedule(PAUSE_MS);
  }

  /** Saves everything that is unsaved. Never rejects. */
  async flush(): Promise<void> {
    window.clearTimeout(this.#timer);
    await this.#queue(() => this.#save());
  }

  /** Runs another change of the draft in the same queue. The draft exists by then. */
  async withDraft(change: (draftId: string) => Promise<Message>, body: DraftBody): Promise<Message> {
    return this.#queue(async () => {
      if (this.#place.draftId === null) {
        this.#pending ??= body;
        await this.#save();
      }
      if (this.#place.draftId === null) throw new ApiError(0, 'OFFLINE', '');
      const draft = await change(this.#place.draftId);
      this.#take(draft);
      return draft;
    });
  }

  /** Overwrites the draft that was saved elsewhere. */
  async overwrite(body: DraftBody): Promise<void> {
    this.#place.savedAt = null;
    this.#pending = body;
    await this.flush();
  }

  /** Called when the page is closed. Sends the last change with a request that the browser still allows. */
  leave(): void {
    const body = this.#pending;
    if (!body || this.#isOver) return;
    const { mailboxId, draftId, threadId } = this.#place;
    const text = JSON.stringify(draftId ? body : { ...body, thread_id: threadId });
    if (text.length > KEEPALIVE_BYTES || !draftId) return;
    void fetch(apiUrl(`/mailboxes/${mailboxId}/drafts/${draftId}`), {
      method: 'PATCH',
      keepalive: true,
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: text,
    }).catch(() => null);
  }

  /** Called when the message was sent or discarded. Stops saving. */
  end(): void {
    this.#isOver = true;
    this.#pending = null;
    window.clearTimeout(this.#timer);
    forgetUnsaved(this.#place.key);
  }

  #schedule(afterMs: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#queue(() => this.#save()), afterMs);
  }

  #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work, work);
    this.#work = result.catch(() => null);
    return result;
  }

  async #save(): Promise<void> {
    const body = this.#pending;
    if (!body || this.#isOver) return;
    if (hasSessionEnded()) {
      this.#waitForSession();
      return;
    }
    this.onStatus('saving');
    try {
      const draft = await this.#send(body);
      this.#take(draft);
      if (this.#pending !== body) return;
      this.#pending = null;
      forgetUnsaved(this.#place.key);
      this.onStatus('saved');
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(draft: Message): void {
    this.#place.draftId = draft.id;
    this.#place.savedAt = draft.created_at;
    this.onDraft(draft);
  }

  async #send(body: DraftBody): Promise<Message> {
    const { key, mailboxId, threadId } = this.#place;
    const path = `/mailboxes/${mailboxId}/drafts`;
    if (this.#place.draftId === null) {
      this.#first ??= body;
      const first = { ...this.#first, thread_id: threadId };
      const made = await sendJson<Message>('POST', path, first, { 'idempotency-key': firstSaveKey(key) });
      if (this.#first === body) return made;
      this.#take(made);
    }
    const { draftId, savedAt } = this.#place;
    return sendJson('PATCH', `${path}/${draftId}`, { ...body, if_unchanged_since: savedAt });
  }

  #waitForSession(): void {
    this.onStatus('signed-out');
    this.#schedule(TRY_AGAIN_MS);
  }

  /** Someone has taken over the draft. What is written here becomes a draft of its own, so that nothing is lost. */
  #startOwn(owner: string): void {
    forgetUnsaved(this.#place.key);
    Object.assign(this.#place, { key: `${this.#place.key}-own`, draftId: null, savedAt: null });
    this.#first = null;
    showToast(teamTexts.takenByOther(owner));
    this.#schedule(0);
  }

  #fail(error: unknown): void {
    const status = error instanceof ApiError ? error.status : 0;
    const owner = error instanceof ApiError ? error.details.owner : undefined;
    if (owner && this.#pending) this.#startOwn(owner.name);
    else if (status === 409) this.onStatus('conflict');
    else if (status === 404) this.onStatus('gone');
    else if (status === 401) this.#waitForSession();
    else {
      if (status >= 400 && status < 500) this.#first = null;
      this.onStatus('failed');
      this.#schedule(TRY_AGAIN_MS);
    }
  }
}

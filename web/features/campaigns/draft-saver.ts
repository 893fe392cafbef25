/**
 * Saves a draft a moment after the last change. It sends only the fields that were changed here, so that two
 * people who edit the same draft do not undo each other's changes. A value that the server refuses is not sent
 * again until it changes; the other fields are saved without it. After a network error it retries at growing
 * intervals, and at once when the connection is back. A scheduled campaign is saved only on request, because it
 * could otherwise be sent half written.
 */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, sendJson } from '../../api/client.ts';
import { fieldsOf, namesOf, partsOf, toInput, type DraftFields, type FieldName } from './draft-fields.ts';

const SAVE_AFTER_MS = 800;
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 30_000;

export interface DraftView {
  fields: DraftFields;
  state: 'saved' | 'changed' | 'saving' | 'refused' | 'failed';
  /** Why nothing could be saved. */
  failure: unknown;
  refused: ReadonlyMap<FieldName, unknown>;
  /** Changes when the content was changed elsewhere, so that the editor starts again with it. */
  contentNo: number;
}

export class DraftSaver {
  readonly #onSaved: (campaign: Campaign) => void;
  readonly #listeners = new Set<() => void>();
  /** The campaign as last received from the server. */
  #seen: Campaign;
  #fields: DraftFields;
  #saved: DraftFields;
  /** The reason why the value of each field was refused. Changing the field removes it. */
  #refused = new Map<FieldName, unknown>();
  #failure: unknown = null;
  #failures = 0;
  #contentNo = 0;
  #isSaving = false;
  #timer: number | undefined;
  #work: Promise<void> = Promise.resolve();
  #view: DraftView;

  constructor(campaign: Campaign, onSaved: (campaign: Campaign) => void) {
    this.#seen = campaign;
    this.#fields = fieldsOf(campaign);
    this.#saved = this.#fields;
    this.#onSaved = onSaved;
    this.#view = this.#look();
  }

  readonly view = (): DraftView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    const onOnline = () => this.#savesItself() && void this.settle().catch(() => null);
    this.#listeners.add(listener);
    window.addEventListener('online', onOnline);
    return () => {
      this.#listeners.delete(listener);
      window.removeEventListener('online', onOnline);
      window.clearTimeout(this.#timer);
    };
  };

  readonly change = (part: Partial<DraftFields>): void => {
    const names = namesOf(part).filter((name) => part[name] !== this.#fields[name]);
    if (names.length === 0) return;
    this.#fields = { ...this.#fields, ...part };
    for (const name of names) this.#refused.delete(name);
    this.#schedule(SAVE_AFTER_MS);
    this.#show();
  };

  /** Saves everything that is unsaved, one request after the other. Throws if something could not be saved. */
  readonly settle = (): Promise<void> => {
    window.clearTimeout(this.#timer);
    this.#work = this.#work.catch(() => null).then(() => this.#save());
    return this.#work;
  };

  /**
   * Takes over changes made elsewhere, except to fields that are being changed here and those that were just
   * `sent`.
   */
  takeOver(campaign: Campaign, sent: FieldName[] = []): void {
    // An older answer that arrived late.
    if (campaign.updatedAt < this.#seen.updatedAt) return;
    const before = fieldsOf(this.#seen);
    const now = fieldsOf(campaign);
    const taken = namesOf(now).filter(
      (name) =>
        now[name] !== before[name] && !sent.includes(name) && this.#fields[name] === this.#saved[name],
    );
    const news = Object.fromEntries(taken.map((name) => [name, now[name]]));
    this.#seen = campaign;
    this.#fields = { ...this.#fields, ...news };
    this.#saved = { ...this.#saved, ...news };
    if (taken.includes('content') || taken.includes('variants')) this.#contentNo += 1;
    this.#show();
  }

  async #save(): Promise<void> {
    const names = this.#waiting();
    if (names.length > 0) {
      this.#isSaving = true;
      this.#show();
      try {
        await this.#send(names);
        this.#failure = null;
        this.#failures = 0;
      } catch (error) {
        this.#failure = error;
        this.#schedule(Math.min(FIRST_GAP_MS * 2 ** this.#failures, LONGEST_GAP_MS));
        this.#failures += 1;
        throw error;
      } finally {
        this.#isSaving = false;
        this.#show();
      }
    }
    for (const error of this.#refused.values()) throw error;
  }

  /** If the server refuses the whole draft, sends it part by part, to find the wrong part and save the others. */
  async #send(names: FieldName[]): Promise<void> {
    const sent = this.#fields;
    try {
      const path = `/campaigns/${this.#seen.id}`;
      const answer = await sendJson<Campaign>('PATCH', path, toInput(sent, names));
      this.#saved = { ...this.#saved, ...Object.fromEntries(names.map((name) => [name, sent[name]])) };
      this.takeOver(answer, names);
      this.#onSaved(answer);
    } catch (error) {
      // A scheduled campaign is saved completely or not at all: a new audience must not get the old text.
      if (!isRefusal(error) || !this.#savesItself()) throw error;
      const parts = partsOf(names);
      if (parts.length > 1) {
        for (const part of parts) await this.#send(part);
        return;
      }
      for (const name of names) if (this.#fields[name] === sent[name]) this.#refused.set(name, error);
    }
  }

  #unsaved(): FieldName[] {
    return namesOf(this.#fields).filter((name) => this.#fields[name] !== this.#saved[name]);
  }

  #waiting(): FieldName[] {
    return this.#unsaved().filter((name) => !this.#refused.has(name));
  }

  #schedule(afterMs: number): void {
    window.clearTimeout(this.#timer);
    if (!this.#savesItself()) return;
    this.#timer = window.setTimeout(() => void this.settle().catch(() => null), afterMs);
  }

  #savesItself(): boolean {
    return this.#seen.status === 'DRAFT';
  }

  #show(): void {
    this.#view = this.#look();
    for (const listener of this.#listeners) listener();
  }

  #look(): DraftView {
    return {
      fields: this.#fields,
      state: this.#state(),
      failure: this.#failure,
      refused: new Map(this.#refused),
      contentNo: this.#contentNo,
    };
  }

  #state(): DraftView['state'] {
    if (this.#isSaving) return 'saving';
    if (this.#waiting().length > 0) return this.#failure ? 'failed' : 'changed';
    return this.#unsaved().length > 0 ? 'refused' : 'saved';
  }
}

/**
 * The same value would be refused again. A request that failed for lack of a session or because of the rate limit
 * may succeed later.
 */
function isRefusal(error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

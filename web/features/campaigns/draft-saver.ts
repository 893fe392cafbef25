/**
 * Saves a draft a moment after the last change. It sends only the fields that were changed here, so that two people
 * who edit the same draft do not undo each other's changes. If both changed the same part of the content, it stops and
 * asks which one to keep; the other one becomes a version. A value that the server rejects is not sent again until it
 * changes; the other fields are saved without it. After a network error it retries at growing intervals, and
 * immediately when the connection is back. A scheduled campaign is saved only on request, because it could otherwise
 * be sent half written.
 */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, getJson, sendJson } from '../../api/client.ts';
import { gapAfterMs, isRefusal, onSaveNow } from '../../api/save-again.ts';
import { versionTexts } from '../../texts/en/versions.ts';
import {
  CONTENT_FIELDS,
  fieldsOf,
  namesOf,
  partsOf,
  toInput,
  type DraftFields,
  type FieldName,
} from './draft-fields.ts';

const SAVE_AFTER_MS = 800;
/** Saves are not delayed longer than this, even if the user types without a pause. */
const SAVE_WITHIN_MS = 5_000;
const MAX_MERGES = 3;

export interface DraftView {
  fields: DraftFields;
  state: 'saved' | 'changed' | 'saving' | 'refused' | 'failed' | 'conflict';
  /** The parts of the content that were changed both here and elsewhere. */
  conflict: readonly FieldName[];
  /** The reason why nothing could be saved. */
  failure: unknown;
  refused: ReadonlyMap<FieldName, unknown>;
  /** Changes when the content was changed elsewhere, so that the editor is recreated with it. */
  contentNo: number;
}

export class DraftSaver {
  readonly #onSaved: (campaign: Campaign) => void;
  readonly #listeners = new Set<() => void>();
  /** The campaign as last received from the server. */
  #seen: Campaign;
  #fields: DraftFields;
  #saved: DraftFields;
  /** The reason why the value of each field was rejected. Changing the field removes it. */
  #refused = new Map<FieldName, unknown>();
  #failure: unknown = null;
  #failures = 0;
  #contentNo = 0;
  #isSaving = false;
  #conflict: readonly FieldName[] = [];
  /** True if the content that the next request replaces must become a version. */
  #keepsVersion = false;
  /** The fields that were last sent. If the response is lost, the server may still have stored them. */
  #sent: Partial<DraftFields> = {};
  #timer: number | undefined;
  /** The time of the oldest unsaved change. */
  #changedAt: number | undefined;
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
    const stop = onSaveNow(() => this.#savesItself() && void this.settle().catch(() => null));
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
      window.clearTimeout(this.#timer);
    };
  };

  readonly change = (part: Partial<DraftFields>): void => {
    const names = namesOf(part).filter((name) => part[name] !== this.#fields[name]);
    if (names.length === 0) return;
    this.#fields = { ...this.#fields, ...part };
    for (const name of names) this.#refused.delete(name);
    this.#changedAt ??= Date.now();
    this.#schedule(Math.min(SAVE_AFTER_MS, Math.max(0, this.#changedAt + SAVE_WITHIN_MS - Date.now())));
    this.#show();
  };

  /** Ends a conflict: the content here replaces the stored content, which becomes a version. */
  readonly keepMine = async (): Promise<void> => {
    this.#conflict = [];
    this.#keepsVersion = true;
    await this.settle();
  };

  /**
   * Ends a conflict: the stored content stays. The content here is saved first, so that it becomes a version. In a
   * scheduled campaign it is dropped instead, because the campaign could be sent with it.
   */
  readonly takeTheirs = async (): Promise<void> => {
    const stored = fieldsOf(this.#seen);
    const theirs = Object.fromEntries(this.#conflict.map((name) => [name, stored[name]]));
    const isDraft = this.#seen.status === 'DRAFT';
    if (isDraft) await this.keepMine();
    else this.#saved = { ...this.#saved, ...theirs };
    this.#conflict = [];
    this.#fields = { ...this.#fields, ...theirs };
    this.#contentNo += 1;
    this.#keepsVersion = isDraft;
    this.#show();
    if (isDraft) await this.settle();
  };

  /** Saves everything that is unsaved, one request after the other. Throws if something could not be saved. */
  readonly settle = (): Promise<void> => {
    window.clearTimeout(this.#timer);
    this.#work = this.#work.catch(() => null).then(() => this.#save());
    return this.#work;
  };

  /**
   * Takes over changes made elsewhere, except to fields that are being changed here and those that were just
   * `sent`. Content that was changed on both sides is a conflict.
   */
  takeOver(campaign: Campaign, sent: FieldName[] = []): void {
    // This is an older response that arrived late.
    if (campaign.updatedAt < this.#seen.updatedAt) return;
    const before = fieldsOf(this.#seen);
    const now = fieldsOf(campaign);
    const changed = namesOf(now).filter((name) => now[name] !== before[name] && !sent.includes(name));
    const taken = changed.filter((name) => this.#fields[name] === this.#saved[name]);
    const both = changed.filter(
      (name) =>
        !taken.includes(name) &&
        CONTENT_FIELDS.includes(name) &&
        now[name] !== this.#fields[name] &&
        now[name] !== this.#sent[name],
    );
    this.#conflict = [...new Set([...this.#conflict, ...both])];
    const news = Object.fromEntries(taken.map((name) => [name, now[name]]));
    this.#seen = campaign;
    this.#fields = { ...this.#fields, ...news };
    this.#saved = { ...this.#saved, ...news };
    if (taken.includes('content') || taken.includes('variants')) this.#contentNo += 1;
    this.#show();
  }

  async #save(): Promise<void> {
    if (this.#conflict.length > 0) throw conflictError();
    const names = this.#waiting();
    if (names.length > 0) {
      this.#isSaving = true;
      this.#changedAt = undefined;
      this.#show();
      try {
        await this.#send(names);
        this.#failure = null;
        this.#failures = 0;
      } catch (error) {
        if (this.#conflict.length > 0) throw error;
        this.#failure = error;
        this.#schedule(gapAfterMs(this.#failures));
        this.#failures += 1;
        throw error;
      } finally {
        this.#isSaving = false;
        this.#show();
      }
    }
    for (const error of this.#refused.values()) throw error;
  }

  /** If the server rejects the whole draft, sends it part by part, to find the wrong part and save the others. */
  async #send(names: FieldName[], merges = 0): Promise<void> {
    const sent = this.#fields;
    const path = `/campaigns/${this.#seen.id}`;
    const isContent = names.some((name) => CONTENT_FIELDS.includes(name));
    const { contentSavedAt: basedOn } = this.#seen;
    const part = Object.fromEntries(names.map((name) => [name, sent[name]]));
    this.#sent = { ...this.#sent, ...part };
    try {
      const answer = await sendJson<Campaign>('PATCH', path, {
        ...toInput(sent, names),
        ...(isContent ? { basedOn, keepVersion: this.#keepsVersion } : {}),
      });
      this.#keepsVersion = false;
      this.#saved = { ...this.#saved, ...part };
      this.takeOver(answer, names);
      this.#onSaved(answer);
    } catch (error) {
      if (isConflict(error) && merges < MAX_MERGES) {
        // The content was saved elsewhere, or the campaign has started, which the page shows.
        const now = await getJson<Campaign>(path);
        this.takeOver(now);
        this.#onSaved(now);
        if (isContent && now.contentSavedAt !== basedOn) {
          if (this.#conflict.length > 0) throw conflictError();
          return this.#send(names, merges + 1);
        }
      }
      // A scheduled campaign is saved completely or not at all, because a new audience must not get the old text.
      if (!isRefusal(error) || !this.#savesItself()) throw error;
      const parts = partsOf(names);
      if (parts.length > 1) {
        for (const each of parts) await this.#send(each);
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
    return this.#seen.status === 'DRAFT' && this.#conflict.length === 0;
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
      conflict: this.#conflict,
      contentNo: this.#contentNo,
    };
  }

  #state(): DraftView['state'] {
    if (this.#conflict.length > 0) return 'conflict';
    if (this.#isSaving) return 'saving';
    if (this.#waiting().length > 0) return this.#failure ? 'failed' : 'changed';
    return this.#unsaved().length > 0 ? 'refused' : 'saved';
  }
}

function conflictError(): ApiError {
  return new ApiError(409, 'CONFLICT', versionTexts.conflict.text);
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

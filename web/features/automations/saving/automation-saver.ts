/**
 * Saves an automation a moment after the last change, and keeps what can be undone. A change that the server rejects is
 * sent again with the next change; until then the page shows the reason at the step that it names. After a network error
 * it is sent again at growing intervals. If someone else has changed the automation in the meantime, the page asks whose
 * changes stay.
 */
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import { ApiError, getJson, sendJson, type FieldIssue } from '../../../api/client.ts';
import { gapAfterMs, isRefusal, onSaveNow } from '../../../api/save-again.ts';
import { beginHistory, change, redo, undo, type History } from '../steps/history.ts';
import { changedFields, fieldsOf, type AutomationFields } from './automation-fields.ts';

const SAVE_AFTER_MS = 800;

export interface SaverView {
  fields: AutomationFields;
  state: 'saved' | 'changed' | 'saving' | 'refused' | 'failed' | 'conflict';
  /** Why it could not be saved. */
  failure: unknown;
  /** What the server has rejected. */
  issues: readonly FieldIssue[];
  canUndo: boolean;
  canRedo: boolean;
}

export class AutomationSaver {
  readonly #onSaved: (automation: Automation) => void;
  readonly #listeners = new Set<() => void>();
  /** The automation as last received from the server. */
  #seen: Automation;
  #saved: AutomationFields;
  #history: History<AutomationFields>;
  #failure: unknown = null;
  #failures = 0;
  #isRefused = false;
  #isConflict = false;
  #isSaving = false;
  #timer: number | undefined;
  #work: Promise<void> = Promise.resolve();
  #view: SaverView;

  constructor(automation: Automation, onSaved: (automation: Automation) => void) {
    this.#seen = automation;
    this.#saved = fieldsOf(automation);
    this.#history = beginHistory(this.#saved);
    this.#onSaved = onSaved;
    this.#view = this.#look();
  }

  readonly view = (): SaverView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = onSaveNow(() => void this.settle().catch(() => null));
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
      window.clearTimeout(this.#timer);
    };
  };

  /** `of` names what was changed: changes of the same soon after each other are undone together. */
  readonly change = (part: Partial<AutomationFields>, of = ''): void => {
    const next = { ...this.#history.now, ...part };
    if (changedFields(this.#history.now, next).length === 0) return;
    this.#set(change(this.#history, next, { of, at: Date.now() }));
  };

  readonly undo = (): void => this.#set(undo(this.#history));
  readonly redo = (): void => this.#set(redo(this.#history));

  /** Saves what is unsaved. Throws if that fails. */
  readonly settle = (): Promise<void> => {
    window.clearTimeout(this.#timer);
    this.#work = this.#work.catch(() => null).then(() => this.#save());
    return this.#work;
  };

  /** Ends a conflict: what is here replaces what the other person has saved. */
  readonly keepMine = (): Promise<void> => {
    this.#isConflict = false;
    return this.settle();
  };

  /** Ends a conflict. What was here can be undone to. */
  readonly takeTheirs = async (): Promise<void> => {
    this.#isConflict = false;
    this.#saved = fieldsOf(this.#seen);
    this.#history = change(this.#history, this.#saved, { of: '', at: Date.now() });
    this.#show();
  };

  /** Takes over what the server has now, after an action or because someone else has changed it. */
  readonly takeOver = (automation: Automation): void => {
    if (automation.updatedAt < this.#seen.updatedAt) return;
    const theirs = fieldsOf(automation);
    const isNews = changedFields(this.#saved, theirs).length > 0;
    const isUnsaved = this.#unsaved().length > 0;
    this.#seen = automation;
    if (isNews && isUnsaved) this.#isConflict = true;
    else if (isNews) {
      this.#saved = theirs;
      this.#history = change(this.#history, theirs, { of: '', at: Date.now() });
    }
    this.#show();
  };

  #set(history: History<AutomationFields>): void {
    this.#history = history;
    this.#isRefused = false;
    this.#failure = null;
    this.#schedule(SAVE_AFTER_MS);
    this.#show();
  }

  #schedule(afterMs: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.settle().catch(() => null), afterMs);
  }

  #unsaved() {
    return changedFields(this.#saved, this.#history.now);
  }

  async #save(): Promise<void> {
    if (this.#isConflict || this.#isRefused) throw this.#failure ?? conflictError();
    const names = this.#unsaved();
    if (names.length === 0) return;
    const sent = this.#history.now;
    this.#isSaving = true;
    this.#show();
    try {
      const path = `/automations/${this.#seen.id}`;
      const part = Object.fromEntries(names.map((name) => [name, sent[name]]));
      const answer = await sendJson<Automation>('PATCH', path, { ...part, basedOn: this.#seen.updatedAt });
      this.#seen = answer;
      // The server fills in what was left out.
      this.#saved = fieldsOf(answer);
      if (this.#history.now === sent) this.#history = { ...this.#history, now: this.#saved };
      this.#failure = null;
      this.#failures = 0;
      this.#onSaved(answer);
    } catch (error) {
      await this.#noteFailure(error, sent);
      throw error;
    } finally {
      this.#isSaving = false;
      this.#show();
    }
  }

  async #noteFailure(error: unknown, sent: AutomationFields): Promise<void> {
    this.#failure = error;
    if (error instanceof ApiError && error.status === 409) {
      this.takeOver(await getJson<Automation>(`/automations/${this.#seen.id}`));
      // The state has changed elsewhere, but nothing that is edited here.
      if (!this.#isConflict) this.#schedule(0);
    } else if (isRefusal(error)) {
      // What was changed since then may be right.
      this.#isRefused = this.#history.now === sent;
    } else {
      this.#schedule(gapAfterMs(this.#failures));
      this.#failures += 1;
    }
  }

  #show(): void {
    this.#view = this.#look();
    for (const listener of this.#listeners) listener();
  }

  #look(): SaverView {
    const { now, past, future } = this.#history;
    return {
      fields: now,
      state: this.#state(),
      failure: this.#failure,
      issues: this.#isRefused && this.#failure instanceof ApiError ? this.#failure.issues : [],
      canUndo: past.length > 0,
      canRedo: future.length > 0,
    };
  }

  #state(): SaverView['state'] {
    if (this.#isConflict) return 'conflict';
    if (this.#isSaving) return 'saving';
    if (this.#isRefused) return 'refused';
    if (this.#unsaved().length === 0) return 'saved';
    return this.#failure ? 'failed' : 'changed';
  }
}

function conflictError(): ApiError {
  return new ApiError(409, 'CONFLICT', '');
}

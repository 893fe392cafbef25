/**
 * The state of a composer, and the transitions for each event. It is pure: no clock, network, editor or React.
 * `composer-effects.ts` runs the effects, and `use-composer.ts` shows the state.
 *
 *   writing → send: preparing → prepared: something is missing → writing, with an error
 *                                         a question is open   → asking → answered: preparing, or writing
 *                                         nothing is           → sending → accepted: over
 *                                                                          refused: writing, with an error
 */
import type { MessageAccepted } from '../../../../src/features/mailboxes/writing/sending.schema.ts';
import { isBlankHtml } from '../../../editor/blank.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { isAddress } from '../parts/people.ts';
import type { ComposeContent, Composition } from './compositions.ts';
import type { SaverStatus } from './draft-saver.ts';
import { isUploading, nextFiles, storedFile, type ComposeFile, type FileEvent } from './file-state.ts';

const t = mailTexts.compose;

export interface SendPlan {
  /** Null to send now, after the seconds in which it can be undone. */
  at: Date | null;
  cancelIfReplied: boolean;
  /** Whether the conversation is archived. */
  archives?: boolean;
}

export type Question =
  | { about: 'subject' }
  /** Others have written in the thread since the composer was opened. */
  | { about: 'changed'; count: number }
  | { about: 'tags'; tags: readonly string[] };

type Phase =
  | { at: 'writing' }
  /** Before the message is checked, the text of address fields is added and tags are filled in. */
  | { at: 'preparing'; plan: SendPlan }
  | { at: 'asking'; plan: SendPlan; question: Question }
  | { at: 'sending'; plan: SendPlan }
  /** The message was sent, discarded or replaced. Nothing changes any more. */
  | { at: 'over' };

export interface ComposerState {
  readonly content: ComposeContent;
  readonly files: readonly ComposeFile[];
  readonly draftId: string | null;
  readonly status: SaverStatus;
  readonly error: string | null;
  readonly phase: Phase;
  /** Questions that were answered with yes. */
  readonly allowed: { readonly subject: boolean; readonly tags: boolean; readonly changed: boolean };
  /** The idempotency key of the current message. Null until it is first sent, and after each change. */
  readonly sendKey: string | null;
}

export type ComposerEvent =
  | { type: 'changed'; part: Partial<ComposeContent> }
  | { type: 'saver-reported'; status: SaverStatus }
  | { type: 'draft-stored'; draftId: string }
  | { type: 'send'; plan: SendPlan }
  /** `tags` are the merge tags that are left in the subject and the text. */
  | { type: 'prepared'; tags: readonly string[] }
  | { type: 'answered'; isYes: boolean }
  /** The draft on the server is the message to send. `freshKey` becomes the idempotency key of a new message. */
  | { type: 'stored'; freshKey: string }
  | { type: 'accepted'; accepted: MessageAccepted }
  /** `status` is 0 if the server did not respond. */
  | { type: 'refused'; status: number; text: string }
  /** The thread has messages that the writer had not seen. */
  | { type: 'thread-changed'; count: number }
  | { type: 'discard' }
  | { type: 'load-theirs' }
  | { type: 'theirs-loaded' }
  | { type: 'keep-mine' }
  | FileEvent;

export type ComposerEffect =
  | { type: 'save'; content: ComposeContent }
  | { type: 'fill-tags'; to: readonly string[] }
  /** Reports `prepared` when done. */
  | { type: 'prepare' }
  /** Removes images that are no longer in the text, saves the draft, then reports `stored`. */
  | { type: 'store' }
  /** Reports `accepted` or `refused` when done. */
  | { type: 'post'; content: ComposeContent; draftId: string | null; plan: SendPlan; sendKey: string }
  | { type: 'finish-sent'; accepted: MessageAccepted; isLater: boolean; archives: boolean }
  | { type: 'discard'; draftId: string | null; isNoted: boolean }
  | { type: 'load-theirs'; draftId: string | null }
  | { type: 'overwrite'; content: ComposeContent }
  | { type: 'upload'; key: number; file: File; contentId: string | null }
  | { type: 'list-files' }
  | { type: 'complain'; text: string };

type Next = [ComposerState, ComposerEffect[]];

export function startComposer(composition: Composition): ComposerState {
  const { to, cc, bcc, subject, html, quoted, draftId, attachments } = composition;
  return {
    content: { to, cc, bcc, subject, html, quoted },
    files: attachments.map(storedFile),
    draftId,
    status: 'idle',
    error: null,
    phase: { at: 'writing' },
    allowed: { subject: false, tags: false, changed: false },
    sendKey: null,
  };
}

export function nextComposerState(state: ComposerState, event: ComposerEvent): Next {
  if (state.phase.at === 'over') return [state, []];
  switch (event.type) {
    case 'changed':
      return change(state, event.part);
    case 'saver-reported':
      return [{ ...state, status: event.status }, []];
    case 'draft-stored':
      return [{ ...state, draftId: event.draftId }, []];
    case 'send':
      return isBusy(state) ? [state, []] : prepare(state, event.plan);
    case 'prepared':
      return check(state, event.tags);
    case 'answered':
      return answer(state, event.isYes);
    case 'stored':
      return post(state, event.freshKey);
    case 'accepted':
      return finish(state, event.accepted);
    case 'refused':
      return refuse(state, event.status, event.text);
    case 'thread-changed':
      return askAboutChange(state, event.count);
    case 'discard':
      return [
        { ...state, phase: { at: 'over' } },
        [{ type: 'discard', draftId: state.draftId, isNoted: isWorthKeeping(state) }],
      ];
    case 'load-theirs':
      return [state, [{ type: 'load-theirs', draftId: state.draftId }]];
    case 'theirs-loaded':
      return [{ ...state, phase: { at: 'over' } }, []];
    case 'keep-mine':
      return [state, [{ type: 'overwrite', content: state.content }]];
    default: {
      const [files, effects] = nextFiles(state.files, event);
      return [{ ...state, files }, effects];
    }
  }
}

/** True while the message is being sent, so that nothing in it may change. */
export function isLeaving({ phase }: ComposerState): boolean {
  return phase.at === 'sending' || phase.at === 'over';
}

export function questionOf({ phase }: ComposerState): Question | null {
  return phase.at === 'asking' ? phase.question : null;
}

/** A reply starts with recipients and a subject. Until the user adds something, discarding it loses nothing. */
export function isWorthKeeping({ content, files, status, draftId }: ComposerState): boolean {
  const { to, cc, bcc, subject, html, quoted } = content;
  if (!isBlankHtml(html) || files.length > 0) return true;
  const isUntouched = status === 'idle' && draftId === null;
  return !isUntouched && [...to, ...cc, ...bcc, subject, quoted].some((part) => part !== '');
}

function isBusy({ phase }: ComposerState): boolean {
  return phase.at === 'preparing' || phase.at === 'sending';
}

function change(state: ComposerState, part: Partial<ComposeContent>): Next {
  const content = { ...state.content, ...part };
  const changed = {
    ...state,
    content,
    error: null,
    sendKey: null,
    allowed: { ...state.allowed, tags: false },
  };
  const fill = part.to ? [{ type: 'fill-tags' as const, to: part.to }] : [];
  return [changed, [{ type: 'save', content }, ...fill]];
}

function prepare(state: ComposerState, plan: SendPlan): Next {
  return [{ ...state, phase: { at: 'preparing', plan } }, [{ type: 'prepare' }]];
}

function check(state: ComposerState, tags: readonly string[]): Next {
  if (state.phase.at !== 'preparing') return [state, []];
  const { plan } = state.phase;
  const error = whatIsMissing(state);
  if (error !== null) return [{ ...state, error, phase: { at: 'writing' } }, []];
  const question = whatToAsk(state, tags);
  if (question) return [{ ...state, error, phase: { at: 'asking', plan, question } }, []];
  return [{ ...state, error, phase: { at: 'sending', plan } }, [{ type: 'store' }]];
}

function whatIsMissing({ content, files }: ComposerState): string | null {
  const { to, cc, bcc, html, quoted } = content;
  const wrong = [...to, ...cc, ...bcc].find((person) => !isAddress(person));
  if (to.length === 0) return t.noRecipient;
  if (wrong !== undefined) return `${t.invalid(wrong)}.`;
  if (isUploading(files)) return t.stillUploading;
  return isBlankHtml(html) && quoted === '' && files.length === 0 ? t.noContent : null;
}

function whatToAsk({ content, allowed }: ComposerState, tags: readonly string[]): Question | null {
  if (content.subject.trim() === '' && !allowed.subject) return { about: 'subject' };
  return tags.length > 0 && !allowed.tags ? { about: 'tags', tags } : null;
}

function answer(state: ComposerState, isYes: boolean): Next {
  if (state.phase.at !== 'asking') return [state, []];
  const { plan, question } = state.phase;
  if (!isYes) return [{ ...state, phase: { at: 'writing' } }, []];
  return prepare({ ...state, allowed: { ...state.allowed, [question.about]: true } }, plan);
}

function post(state: ComposerState, freshKey: string): Next {
  if (state.phase.at !== 'sending') return [state, []];
  const { content, draftId } = state;
  const sendKey = state.sendKey ?? freshKey;
  return [{ ...state, sendKey }, [{ type: 'post', content, draftId, plan: state.phase.plan, sendKey }]];
}

function finish(state: ComposerState, accepted: MessageAccepted): Next {
  if (state.phase.at !== 'sending') return [state, []];
  const { at, archives = false } = state.phase.plan;
  const isLater = at !== null;
  return [{ ...state, phase: { at: 'over' } }, [{ type: 'finish-sent', accepted, isLater, archives }]];
}

/** Nothing was sent. The messages are told, so the next attempt counts them as seen. */
function askAboutChange(state: ComposerState, count: number): Next {
  if (state.phase.at !== 'sending') return [state, []];
  const { plan } = state.phase;
  const question: Question = { about: 'changed', count };
  return [{ ...state, sendKey: null, phase: { at: 'asking', plan, question } }, []];
}

function refuse(state: ComposerState, status: number, text: string): Next {
  // It is unknown whether the message arrived. The next attempt is the same request, so the message cannot be sent
  // twice.
  const isUncertain = status === 0 || status >= 500;
  return [
    {
      ...state,
      phase: { at: 'writing' },
      status: status === 404 ? 'gone' : state.status,
      sendKey: isUncertain ? state.sendKey : null,
      error: isUncertain ? t.notSent : text,
    },
    [],
  ];
}

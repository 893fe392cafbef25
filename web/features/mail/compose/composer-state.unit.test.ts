import { describe, expect, test } from 'vitest';
import { mailTexts } from '../../../texts/en/mail.ts';
import {
  isLeaving,
  isWorthKeeping,
  nextComposerState,
  questionOf,
  startComposer,
  type ComposerEffect,
  type ComposerEvent,
  type ComposerState,
} from './composer-state.ts';
import type { Composition } from './compositions.ts';

const t = mailTexts.compose;
const NOW = { at: null, cancelIfReplied: false };
const ACCEPTED = {
  id: 'msg_1',
  thread_id: 'thr_1',
  status: 'waiting' as const,
  subject: 'Hello',
  to: ['ada@example.org'],
  send_at: '2026-11-05T12:00:10.000Z',
  created_at: '2026-11-05T12:00:00.000Z',
};

function start(written: Partial<Composition> = {}): ComposerState {
  return startComposer({
    key: '1-2',
    mailboxId: 'mbx_1',
    place: 'window',
    threadId: null,
    draftId: null,
    savedAt: null,
    attachments: [],
    forwards: null,
    isMinimised: false,
    calls: 0,
    to: ['ada@example.org'],
    cc: [],
    bcc: [],
    subject: 'Hello',
    html: '<p>Hello</p>',
    quoted: '',
    ...written,
  });
}

/** Returns the state after the events, and the effects of the last of them. */
function after(state: ComposerState, ...events: ComposerEvent[]): [ComposerState, ComposerEffect[]] {
  return events.reduce<[ComposerState, ComposerEffect[]]>(
    ([before], event) => nextComposerState(before, event),
    [state, []],
  );
}

const SEND: ComposerEvent[] = [
  { type: 'send', plan: NOW },
  { type: 'prepared', tags: [] },
];
const typesOf = (effects: ComposerEffect[]) => effects.map(({ type }) => type);

describe('writing', () => {
  test('a change is saved, clears the error, and makes the next request a new one', () => {
    const [refused] = after(
      start(),
      ...SEND,
      { type: 'stored', freshKey: 'k1' },
      { type: 'refused', status: 503, text: '' },
    );
    expect([refused.error, refused.sendKey]).toEqual([t.notSent, 'k1']);
    const [state, effects] = after(refused, { type: 'changed', part: { subject: 'Hello again' } });
    expect(state.content.subject).toBe('Hello again');
    expect([state.error, state.sendKey]).toEqual([null, null]);
    expect(effects).toEqual([{ type: 'save', content: state.content }]);
  });

  test('new recipients have the tags filled in', () => {
    const [, effects] = after(start(), { type: 'changed', part: { to: ['bob@example.org'] } });
    expect(effects[1]).toEqual({ type: 'fill-tags', to: ['bob@example.org'] });
  });
});

describe('sending', () => {
  test('prepares, stores the draft, posts it, and ends', () => {
    const [preparing, first] = after(start(), { type: 'send', plan: NOW });
    expect(typesOf(first)).toEqual(['prepare']);
    const [sending, second] = after(preparing, { type: 'prepared', tags: [] });
    expect([typesOf(second), isLeaving(sending)]).toEqual([['store'], true]);
    const [posted, third] = after(
      sending,
      { type: 'draft-stored', draftId: 'msg_1' },
      { type: 'stored', freshKey: 'k1' },
    );
    expect(third).toMatchObject([{ type: 'post', draftId: 'msg_1', plan: NOW, sendKey: 'k1' }]);
    const [over, last] = after(posted, { type: 'accepted', accepted: ACCEPTED });
    expect(last).toEqual([{ type: 'finish-sent', accepted: ACCEPTED, isLater: false, archives: false }]);
    expect(isLeaving(over)).toBe(true);
    expect(after(over, { type: 'changed', part: { subject: 'Too late' } })).toEqual([over, []]);
  });

  test('begins once, however often it is asked for', () => {
    const [preparing] = after(start(), { type: 'send', plan: NOW });
    expect(after(preparing, { type: 'send', plan: NOW })).toEqual([preparing, []]);
    const [sending] = after(preparing, { type: 'prepared', tags: [] });
    expect(after(sending, { type: 'send', plan: NOW })).toEqual([sending, []]);
  });

  test('posts what was written while it was prepared', () => {
    const [, effects] = after(
      start(),
      { type: 'send', plan: NOW },
      { type: 'changed', part: { html: '<p>Hello Ada</p>' } },
      { type: 'prepared', tags: [] },
      { type: 'stored', freshKey: 'k1' },
    );
    expect(effects).toMatchObject([{ type: 'post', content: { html: '<p>Hello Ada</p>' } }]);
  });

  test.each<[string, Partial<Composition>, string]>([
    ['a recipient', { to: [] }, t.noRecipient],
    ['a valid recipient', { cc: ['bob'] }, `${t.invalid('bob')}.`],
    ['a text', { html: '<p></p>' }, t.noContent],
  ])('needs %s', (_what, written, error) => {
    const [state, effects] = after(start(written), ...SEND);
    expect([state.error, state.phase.at, effects]).toEqual([error, 'writing', []]);
  });

  test('needs no text beside a quoted message or a file', () => {
    expect(after(start({ html: '', quoted: '<p>Hi</p>' }), ...SEND)[0].phase.at).toBe('sending');
    const file = new File(['abc'], 'a.txt');
    const added: ComposerEvent = { type: 'file-added', key: 7, file, contentId: null };
    const [uploading] = after(start({ html: '' }), added, ...SEND);
    expect(uploading.error).toBe(t.stillUploading);
    const [sending] = after(uploading, { type: 'file-uploaded', key: 7 }, ...SEND);
    expect(sending.phase.at).toBe('sending');
  });
});

describe('a question', () => {
  const TAGS: ComposerEvent[] = [
    { type: 'send', plan: NOW },
    { type: 'prepared', tags: ['name'] },
  ];

  test('about the subject is asked once', () => {
    const [asking] = after(start({ subject: ' ' }), ...SEND);
    expect(questionOf(asking)).toEqual({ about: 'subject' });
    const [preparing, effects] = after(asking, { type: 'answered', isYes: true });
    expect(typesOf(effects)).toEqual(['prepare']);
    expect(after(preparing, { type: 'prepared', tags: [] })[0].phase.at).toBe('sending');
  });

  test('about tags is asked again after a change', () => {
    const [asking] = after(start(), ...TAGS);
    expect(questionOf(asking)).toEqual({ about: 'tags', tags: ['name'] });
    const [allowed] = after(asking, { type: 'answered', isYes: true });
    expect(after(allowed, { type: 'prepared', tags: ['name'] })[0].phase.at).toBe('sending');
    const changed: ComposerEvent = { type: 'changed', part: { html: '<p>{{name}}!</p>' } };
    expect(after(allowed, changed, { type: 'prepared', tags: ['name'] })[0].phase.at).toBe('asking');
  });

  test('that is answered with no goes back to writing', () => {
    const [state, effects] = after(start(), ...TAGS, { type: 'answered', isYes: false });
    expect([state.phase.at, questionOf(state), effects]).toEqual(['writing', null, []]);
  });

  test('keeps the chosen time', () => {
    const plan = { at: new Date('2026-12-24T18:00:00Z'), cancelIfReplied: true };
    const [, effects] = after(
      start({ subject: '' }),
      { type: 'send', plan },
      { type: 'prepared', tags: [] },
      { type: 'answered', isYes: true },
      { type: 'prepared', tags: [] },
      { type: 'stored', freshKey: 'k1' },
    );
    expect(effects).toMatchObject([{ type: 'post', plan }]);
  });
});

function refused(status: number): ComposerState {
  return after(
    start(),
    ...SEND,
    { type: 'stored', freshKey: 'k1' },
    { type: 'refused', status, text: 'No.' },
  )[0];
}

describe('a refusal', () => {
  test.each([0, 500, 503])('with status %i is uncertain: the next try has the same key', (status) => {
    const state = refused(status);
    expect([state.phase.at, state.error]).toEqual(['writing', t.notSent]);
    const [, effects] = after(state, ...SEND, { type: 'stored', freshKey: 'k2' });
    expect(effects).toMatchObject([{ type: 'post', sendKey: 'k1' }]);
  });

  test.each([400, 409, 422])('with status %i is certain: the next try is a new one', (status) => {
    const state = refused(status);
    expect([state.phase.at, state.error]).toEqual(['writing', 'No.']);
    const [, effects] = after(state, ...SEND, { type: 'stored', freshKey: 'k2' });
    expect(effects).toMatchObject([{ type: 'post', sendKey: 'k2' }]);
  });

  test('with status 404 says that the draft is gone', () => {
    expect(refused(404).status).toBe('gone');
  });
});

describe('discarding', () => {
  test('deletes the draft, says so, and ends', () => {
    const [state, effects] = after(start(), { type: 'draft-stored', draftId: 'msg_1' }, { type: 'discard' });
    expect(effects).toEqual([{ type: 'discard', draftId: 'msg_1', isNoted: true }]);
    expect(state.phase.at).toBe('over');
  });

  test.each<[string, Partial<Composition>, ComposerEvent[], boolean]>([
    ['a reply that nobody touched', { html: '' }, [], false],
    ['a reply that was saved', { html: '', draftId: 'msg_1' }, [], true],
    [
      'a reply whose people were changed',
      { html: '' },
      [{ type: 'saver-reported', status: 'unsaved' }],
      true,
    ],
    ['an empty message that was saved', { html: '', to: [], subject: '', draftId: 'msg_1' }, [], false],
    ['a text', {}, [], true],
  ])('%s', (_what, written, events, isWorth) => {
    expect(isWorthKeeping(after(start(written), ...events)[0])).toBe(isWorth);
  });
});

test('a conflict is resolved by loading the other draft, or by overwriting it', () => {
  const draft = start({ draftId: 'msg_1' });
  expect(after(draft, { type: 'load-theirs' })[1]).toEqual([{ type: 'load-theirs', draftId: 'msg_1' }]);
  expect(after(draft, { type: 'keep-mine' })[1]).toEqual([{ type: 'overwrite', content: draft.content }]);
});

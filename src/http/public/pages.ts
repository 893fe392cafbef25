/** Renders the texts and buttons of each public page. */
import type { ConfirmationView } from '../../features/audience/subscriptions/confirm.ts';
import type { PreferencesView } from '../../features/audience/subscriptions/preferences.ts';
import type { ResubscribedView } from '../../features/audience/subscriptions/resubscribe.ts';
import {
  LEAVE_REASONS,
  type LeaveReason,
  type UnsubscribeView,
} from '../../features/audience/subscriptions/unsubscribe.ts';
import { isolate } from '../../mail/html/text-direction.ts';
import { markup, type Markup } from '../pages/markup.ts';
import { PLAIN, type Look } from './look.ts';
import { renderPage } from './page.ts';
import { textsIn, type Language, type PageTexts } from './texts.ts';

/** The visitor's language and the brand of the page. */
export interface View {
  language: Language;
  look: Look;
}

type Values = Record<string, string | null>;

function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => isolate(values[name] ?? whole));
}

function button(label: string, field: { name: string; value: string } | null, isSecond = false): Markup {
  const attributes = field ? markup` name="${field.name}" value="${field.value}"` : markup``;
  return markup`<button type="submit"${attributes}${isSecond ? markup` class="second"` : markup``}>${label}</button>`;
}

function form(label: string, field: { name: string; value: string } | null): Markup {
  return markup`<form method="post">${button(label, field)}</form>`;
}

const EVERYTHING = { name: 'scope', value: 'everything' };

function renderText(
  { language, look }: View,
  title: keyof PageTexts,
  text: keyof PageTexts,
  values: Values = {},
  after = markup``,
): string {
  const texts = textsIn(language);
  return renderPage(
    language,
    fill(texts[title], values),
    markup`<p>${fill(texts[text], values)}</p>${after}`,
    look,
  );
}

export function renderBroken(language: Language, look = PLAIN): string {
  return renderText({ language, look }, 'brokenTitle', 'broken');
}

export function renderTrouble(language: Language): string {
  return renderText({ language, look: PLAIN }, 'troubleTitle', 'trouble');
}

export function renderUnsubscribe(page: View, view: UnsubscribeView, preferencesUrl: string): string {
  if (view.hasLeft !== null) return renderLeft(page, view.hasLeft, view);
  const { email, bookName, topicName } = view;
  const texts = textsIn(page.language);
  const values = { email, book: bookName, topic: topicName };
  const more = markup`<p class="more"><a href="${preferencesUrl}">${texts.preferencesLink}</a></p>`;
  if (topicName === null) {
    return renderText(page, 'leaveTitle', 'leave', values, form(texts.leaveButton, null));
  }
  const choice = markup`<form method="post">${button(fill(texts.leaveTopicButton, values), null)}${button(
    texts.leaveAllButton,
    EVERYTHING,
    true,
  )}</form>${more}`;
  return renderText(page, 'leaveTopicTitle', 'leaveTopic', values, choice);
}

const BACK = { name: 'action', value: 'resubscribe' };

/** Null is the view of a deleted contact, who has no way back. */
export function renderLeft(
  page: View,
  left: 'topic' | 'book',
  view: UnsubscribeView | null,
  reason: 'asked' | 'given' = 'asked',
): string {
  const way = view && !view.isSuppressed ? renderWayBack(page, view) : markup``;
  const asked = left === 'book' && view !== null;
  const back = asked ? markup`${reason === 'asked' ? renderReasons(page) : renderThanks(page)}${way}` : way;
  return left === 'topic'
    ? renderText(page, 'leftTopicTitle', 'leftTopic', {}, back)
    : renderText(page, 'leftTitle', 'left', {}, back);
}

const REASON_TEXTS = {
  TOO_MANY: 'whyTooMany',
  NOT_RELEVANT: 'whyNotRelevant',
  NEVER_SIGNED_UP: 'whyNever',
  OTHER: 'whyOther',
} as const satisfies Record<LeaveReason, keyof PageTexts>;

function renderReasons({ language }: View): Markup {
  const texts = textsIn(language);
  const rows = LEAVE_REASONS.map(
    (reason) =>
      markup`<label><input type="radio" name="reason" value="${reason}" required>${texts[REASON_TEXTS[reason]]}</label>`,
  );
  return markup`<form method="post" class="reasons"><fieldset><legend>${texts.why}</legend>${rows}</fieldset>${button(texts.whyButton, { name: 'action', value: 'reason' }, true)}</form>`;
}

function renderThanks({ language }: View): Markup {
  return markup`<p role="status">${textsIn(language).whyThanks}</p>`;
}

function renderWayBack({ language }: View, { email }: { email: string }): Markup {
  const texts = textsIn(language);
  return markup`<p>${fill(texts.back, { email })}</p><form method="post">${button(texts.backButton, BACK, true)}</form>`;
}

export function renderResubscribed(page: View, { result, email, bookName }: ResubscribedView): string {
  const values = { email, book: bookName };
  if (result === 'subscribed') return renderText(page, 'confirmedTitle', 'confirmed', values);
  return result === 'asked'
    ? renderText(page, 'sentTitle', 'sent', values)
    : renderText(page, 'notBackTitle', 'suppressed', values);
}

export function renderConfirmation(page: View, view: ConfirmationView): string {
  const texts = textsIn(page.language);
  const values = { email: view.email, book: view.bookName };
  switch (view.state) {
    case 'asked':
      return renderText(page, 'confirmTitle', 'confirm', values, form(texts.confirmButton, null));
    case 'confirmed':
      return renderText(page, 'confirmedTitle', 'confirmed', values);
    case 'expired': {
      const again = form(texts.expiredButton, { name: 'action', value: 'send-again' });
      return renderText(page, 'expiredTitle', 'expired', values, again);
    }
    case 'left':
      return renderText(page, 'notBackTitle', 'notBack', values);
    case 'gone':
      return renderBroken(page.language, page.look);
  }
}

export function renderSentAgain(page: View, { email }: ConfirmationView): string {
  return renderText(page, 'sentTitle', 'sent', { email });
}

export function renderPreferences(page: View, view: PreferencesView, isSaved: boolean): string {
  const texts = textsIn(page.language);
  const values = { email: view.email, book: view.bookName };
  if (view.subscription === 'unsubscribed') {
    const back = view.isSuppressed ? markup`` : renderWayBack(page, view);
    return renderText(page, 'notBackTitle', view.isSuppressed ? 'suppressed' : 'unsubscribed', values, back);
  }
  const title = isSaved ? 'savedTitle' : 'preferencesTitle';
  const leave = button(texts.leaveAllButton, EVERYTHING, true);
  if (view.topics.length === 0) {
    const only = markup`<p>${texts.preferencesNone}</p><form method="post">${leave}</form>`;
    return renderText(page, title, 'preferences', values, only);
  }
  const rows = view.topics.map(({ id, name, description, subscribed }) => {
    const checked = subscribed ? markup` checked` : markup``;
    const more = description ? markup`<span>${isolate(description)}</span>` : markup``;
    return markup`<input type="hidden" name="shown" value="${id}">
<label><input type="checkbox" name="topic" value="${id}"${checked}>${isolate(name)}${more}</label>`;
  });
  const topics = markup`<form method="post"><fieldset aria-labelledby="title">${rows}</fieldset>${button(texts.saveButton, null)}${leave}</form>`;
  return renderText(page, title, 'preferences', values, topics);
}

/**
 * The public pages behind links in emails: unsubscribe, confirm a subscription, choose topics. They need no
 * authentication, because the signed token in the path identifies the contact. An invalid token gets an error page.
 *
 * GET changes nothing, because link scanners open links too. Only the page's button, a POST, does.
 */
import {
  confirmContact,
  sendAnotherConfirmation,
  viewConfirmation,
  type ConfirmationView,
} from '../../features/audience/subscriptions/confirm.ts';
import { choosePreferences, viewPreferences } from '../../features/audience/subscriptions/preferences.ts';
import { resubscribe } from '../../features/audience/subscriptions/resubscribe.ts';
import {
  giveReason,
  unsubscribe,
  viewUnsubscribe,
} from '../../features/audience/subscriptions/unsubscribe.ts';
import { findNewAddress } from '../../features/instance/closed-teams.ts';
import {
  LINK_PATHS,
  publicLinksOf,
  type ConfirmLink,
  type ContactRef,
  type PublicLinks,
  type UnsubscribeLink,
} from '../../features/content/links/links.ts';
import type { Db } from '../../platform/database/database.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, needsLogging } from '../../platform/errors.ts';
import { readChunks } from '../requests/body.ts';
import { toErrorAnswer } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';
import { createArchiveRoute } from './archive.ts';
import { answerFile } from './files.ts';
import { createForwardRoute } from './forward-consent.ts';
import { createFormRoute } from './forms.ts';
import { forwardPage } from './forward-page.ts';
import { createTlsReportRoute } from './tls-reports.ts';
import { createMediaAnswerer } from './media.ts';
import { findLook, PLAIN } from './look.ts';
import { PUBLIC_HEADERS, publicHeaders } from './page.ts';
import {
  renderBroken,
  renderConfirmation,
  renderLeft,
  renderPreferences,
  renderResubscribed,
  renderSentAgain,
  renderTrouble,
  renderUnsubscribe,
  type View,
} from './pages.ts';
import { requireRoom } from './require-room.ts';
import { chooseLanguage } from './texts.ts';

interface Page {
  status: 200 | 404 | 410;
  html: string;
}

interface Pages<Link> {
  /** Returns null for an invalid token. */
  read(token: string): Link | null;
  show(link: Link, view: View): Promise<Page>;
  press(link: Link, form: URLSearchParams, view: View): Promise<Page>;
}

const MAX_FORM_BYTES = 64 * 1024;

export function createPublicRoutes(tools: PublicTools): PublicRoute[] {
  const { db, facts } = tools;
  const links = publicLinksOf(facts);
  return [
    servePages(tools, LINK_PATHS.unsubscribe, unsubscribePages(db, links)),
    servePages(tools, LINK_PATHS.confirm, confirmationPages(db, links)),
    servePages(tools, LINK_PATHS.preferences, preferencesPages(db, links)),
    createForwardRoute(tools),
    createFormRoute(tools),
    createArchiveRoute(tools),
    createTlsReportRoute(tools),
    { path: LINK_PATHS.file, answer: (exchange) => answerFile(db, facts, exchange) },
    { path: LINK_PATHS.media, answer: createMediaAnswerer(db, facts) },
  ];
}

function unsubscribePages(db: Db, links: PublicLinks): Pages<UnsubscribeLink> {
  return {
    read: links.readUnsubscribe,
    async show(link, page) {
      const view = await viewUnsubscribe(db, link);
      if (!view) return ok(renderLeft(page, 'book', null));
      return ok(renderUnsubscribe(page, view, links.preferences(link)));
    },
    // Any other POST unsubscribes: email apps post "List-Unsubscribe=One-Click" (RFC 8058), some post nothing.
    async press(link, form, page) {
      if (form.get('action') === 'resubscribe')
        return ok(renderResubscribed(page, await resubscribe(db, link)));
      if (form.get('action') === 'reason') {
        await giveReason(db, link, form.get('reason') ?? '');
        const view = await viewUnsubscribe(db, link);
        return ok(renderLeft(page, view?.hasLeft ?? 'book', view, 'given'));
      }
      const scope = form.get('scope') === 'everything' ? 'everything' : 'link';
      const left = await unsubscribe(db, link, scope);
      return ok(renderLeft(page, left, await viewUnsubscribe(db, link)));
    },
  };
}

function confirmationPages(db: Db, links: PublicLinks): Pages<ConfirmLink> {
  return {
    read: links.readConfirm,
    show: async (link, page) => confirmationPage(await viewConfirmation(db, link), page),
    async press(link, form, page) {
      if (form.get('action') !== 'send-again') return confirmationPage(await confirmContact(db, link), page);
      const view = await sendAnotherConfirmation(db, link);
      const isSent = view.state === 'expired' || view.state === 'asked';
      return isSent ? ok(renderSentAgain(page, view)) : confirmationPage(view, page);
    },
  };
}

function preferencesPages(db: Db, links: PublicLinks): Pages<ContactRef> {
  return {
    read: links.readPreferences,
    async show(link, page) {
      const view = await viewPreferences(db, link);
      return view ? ok(renderPreferences(page, view, false)) : broken(page);
    },
    async press(link, form, page) {
      if (form.get('scope') === 'everything') {
        const everything = { ...link, emailId: null, campaignId: null, topicId: null };
        const left = await unsubscribe(db, everything, 'everything');
        return ok(renderLeft(page, left, await viewUnsubscribe(db, everything)));
      }
      if (form.get('action') === 'reason') {
        await giveReason(db, link, form.get('reason') ?? '');
        const everything = { ...link, emailId: null, campaignId: null, topicId: null };
        return ok(renderLeft(page, 'book', await viewUnsubscribe(db, everything), 'given'));
      }
      if (form.get('action') === 'resubscribe')
        return ok(renderResubscribed(page, await resubscribe(db, link)));
      await choosePreferences(db, link, { shown: form.getAll('shown'), chosen: form.getAll('topic') });
      const view = await viewPreferences(db, link);
      return view ? ok(renderPreferences(page, view, true)) : broken(page);
    },
  };
}

/** The buttons that store or send something. Leaving and confirming work on a full disk too. */
const STORING_ACTIONS = ['send-again', 'resubscribe'];

function servePages<Link extends { teamId: number }>(
  { db, facts, log }: PublicTools,
  path: string,
  pages: Pages<Link>,
): PublicRoute {
  return {
    path,
    async answer(exchange) {
      const language = chooseLanguage(exchange.requestHeader('accept-language'));
      const isPost = exchange.method === 'POST';
      if (!isPost) allowReadingOnly(exchange, 'GET, HEAD, POST');
      try {
        const read = pages.read(tokenOf(exchange, path));
        const link = read && exchange.servesTeam(read.teamId) ? read : null;
        const form = isPost ? await readForm(exchange) : null;
        const movedTo = link && (await findNewAddress(db, link.teamId));
        if (movedTo) return await forwardPage(movedTo, exchange, form?.toString() ?? null);
        if (link && STORING_ACTIONS.includes(form?.get('action') ?? ''))
          await requireRoom(facts, link.teamId);
        const view = { language, look: link ? await findLook(db, link.teamId) : PLAIN };
        const page = !link
          ? broken(view)
          : form
            ? await pages.press(link, form, view)
            : await pages.show(link, view);
        return answerWith(exchange, page.status, publicHeaders(view), page.html);
      } catch (thrown) {
        const error = toAppError(thrown);
        if (needsLogging(error))
          log.error({ requestId: exchange.requestId, route: path, err: error.cause }, error.message);
        const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
        return answerWith(exchange, status, { ...headers, ...PUBLIC_HEADERS }, renderTrouble(language));
      }
    },
  };
}

function ok(html: string): Page {
  return { status: 200, html };
}

function broken({ language, look }: View): Page {
  return { status: 404, html: renderBroken(language, look) };
}

function confirmationPage(view: ConfirmationView, page: View): Page {
  const status = view.state === 'gone' ? 404 : view.state === 'expired' ? 410 : 200;
  return { status, html: renderConfirmation(page, view) };
}

function answerWith(
  exchange: Exchange,
  status: number,
  headers: Record<string, string>,
  body: string,
): Answer {
  for (const name in headers) exchange.setHeader(name, headers[name]!);
  return { status, body };
}

function allowReadingOnly(exchange: Exchange, allow: string): void {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return;
  exchange.setHeader('allow', allow);
  throw new AppError('METHOD_NOT_ALLOWED', `This path only supports ${allow}.`);
}

function tokenOf(exchange: Exchange, path: string): string {
  return exchange.path.slice(path.length);
}

async function readForm({ incoming }: Exchange): Promise<URLSearchParams> {
  const chunks = await readChunks(incoming, { limitBytes: MAX_FORM_BYTES });
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/**
 * The public archive of a contact book: `/a/{id}` lists its emails, `/a/{id}/{campaignId}` shows one, and
 * `/a/{id}/feed.xml` is the feed. The form on these pages posts to `/a/{id}`. Everything that is not public is not found.
 */
import type { Db } from '../../platform/database/database.ts';
import { createHash } from 'node:crypto';
import { formStampsOf } from '../../features/audience/forms/form-stamp.ts';
import { formTextsIn } from '../../features/audience/forms/form-texts.ts';
import {
  findArchive,
  findArchivedCampaign,
  findArchiveSource,
  listArchivedCampaigns,
  type Archive,
} from '../../features/campaigns/archive/archive.ts';
import { createContentReader } from '../../features/campaigns/archive/archived-content.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, badRequest, needsLogging, notFound } from '../../platform/errors.ts';
import { toErrorAnswer } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { readVisitor } from '../routing/authenticate.ts';
import { renderFeed } from './archive-feed.ts';
import {
  CAMPAIGN_FIELD,
  REFERRER_FIELD,
  archiveHeaders,
  emailPageHeaders,
  renderArchive,
  renderArchiveGone,
  renderEmailPage,
  renderSignedUp,
  sharedHeaders,
} from './archive-page.ts';
import { findLook } from './look.ts';
import { PUBLIC_HEADERS, publicHeaders } from './page.ts';
import { renderTrouble, type View } from './pages.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';
import { readValues } from './read-values.ts';
import { requireRoom } from './require-room.ts';
import { createFormSubmitter } from './submit-form.ts';
import { chooseLanguage, type Language } from './texts.ts';

export const ARCHIVE_PATH = '/a/';
const CAMPAIGNS_PER_PAGE = 30;
const CAMPAIGNS_IN_FEED = 30;
const MAX_ID = 64;
const MAX_EMAIL = 320;

export function createArchiveRoute({ db, facts, log }: PublicTools): PublicRoute {
  const readContent = createContentReader(db);
  const { protocol, port } = new URL(facts.baseUrl);
  const base = facts.baseUrl.replace(/\/+$/, '');
  // The pages refer to each other under the host that was opened.
  const baseOf = ({ linkHost }: Exchange): string =>
    linkHost ? `${protocol}//${linkHost.host}${port ? `:${port}` : ''}` : base;
  const stamps = formStampsOf(facts);
  const receive = createSignUp({ db, facts, log }, stamps);

  async function answer(exchange: Exchange, language: Language): Promise<Answer> {
    const [bookId = '', name = '', ...rest] = exchange.path.slice(ARCHIVE_PATH.length).split('/');
    const archive = rest.length === 0 ? await findArchive(db, bookId) : undefined;
    if (!archive || !exchange.servesTeam(archive.teamId)) throw notFound('Archive');
    const url = `${baseOf(exchange)}${ARCHIVE_PATH}${archive.id}`;
    if (name === 'feed.xml') return answerFeed(db, exchange, archive, url);
    const view = { language, look: await findLook(db, archive.teamId) };
    const signUp = {
      stamp: stamps.make(archive.contactBookId, Date.now()),
      referrer: (exchange.query[REFERRER_FIELD] ?? '').slice(0, MAX_ID),
    };
    if (exchange.method === 'POST') {
      if (name !== '') throw notPostable('GET, HEAD', exchange);
      return receive(exchange, archive, { url, view });
    }
    if (name === '') {
      const before = exchange.query.before ?? null;
      const page = await listArchivedCampaigns(db, archive, { before, limit: CAMPAIGNS_PER_PAGE });
      setHeaders(exchange, archiveHeaders(archive, view.look));
      const isFirst = before === null;
      return { status: 200, body: renderArchive(view, { archive, url, isFirst, signUp, ...page }) };
    }
    const campaign = await findArchivedCampaign(db, archive, name);
    if (!campaign) throw notFound('Email');
    const content = await readContent(archive.teamId, campaign.id);
    setHeaders(exchange, emailPageHeaders(archive, url));
    return { status: 200, body: renderEmailPage(view, { archive, url, campaign, content, signUp }) };
  }

  return {
    path: ARCHIVE_PATH,
    async answer(exchange) {
      if (!['GET', 'HEAD', 'POST'].includes(exchange.method)) throw notPostable('GET, HEAD, POST', exchange);
      const language = chooseLanguage(exchange.requestHeader('accept-language'));
      try {
        return await answer(exchange, language);
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.code === 'METHOD_NOT_ALLOWED') throw error;
        return answerFailure(exchange, language, error, log);
      }
    },
  };
}

/** Takes sign-ups on the pages of an archive. */
function createSignUp({ db, facts, log }: PublicTools, stamps: ReturnType<typeof formStampsOf>) {
  const submit = createFormSubmitter({ db, facts, log });

  return async function receive(
    exchange: Exchange,
    archive: Archive,
    { url, view }: { url: string; view: View },
  ): Promise<Answer> {
    const { teamId, contactBookId, doubleOptInEnabled } = archive;
    const form = {
      id: contactBookId,
      formId: null,
      teamId,
      contactBookId,
      doubleOptInEnabled,
      topicIds: [],
      fields: [{ name: 'email', label: null, required: true }],
    };
    await requireRoom(facts, teamId);
    const valueOf = await readValues(exchange);
    const referrer = valueOf(REFERRER_FIELD).slice(0, MAX_ID);
    const visitor = { ...readVisitor(exchange), language: view.language };
    const outcome = await submit(form, valueOf, visitor, ({ email }) =>
      findArchiveSource(db, archive, {
        referrer,
        campaignId: valueOf(CAMPAIGN_FIELD),
        addressKey: email.key,
      }),
    );
    if (outcome.kind === 'done') {
      setHeaders(exchange, publicHeaders({ look: view.look }));
      return { status: 200, body: renderSignedUp(view, archive, url) };
    }
    const texts = formTextsIn(view.language);
    const error = outcome.kind === 'refused' ? outcome.error : badRequest('The email address is not valid.');
    const problem = texts[outcome.kind === 'refused' ? outcome.message : 'invalidEmail'];
    const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
    const page = await listArchivedCampaigns(db, archive, { before: null, limit: CAMPAIGNS_PER_PAGE });
    const signUp = {
      stamp: stamps.make(contactBookId, Date.now()),
      referrer,
      email: valueOf('email').slice(0, MAX_EMAIL),
      problem,
    };
    setHeaders(exchange, { ...headers, ...archiveHeaders(archive, view.look) });
    return { status, body: renderArchive(view, { archive, url, isFirst: true, signUp, ...page }) };
  };
}

async function answerFeed(db: Db, exchange: Exchange, archive: Archive, url: string): Promise<Answer> {
  const { campaigns } = await listArchivedCampaigns(db, archive, {
    before: null,
    limit: CAMPAIGNS_IN_FEED,
  });
  const body = renderFeed(archive, url, campaigns);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  setHeaders(exchange, { ...sharedHeaders(archive), etag });
  if (exchange.requestHeader('if-none-match')?.includes(etag)) return exchange.answerEmpty(304);
  return exchange.answer(200, 'application/rss+xml; charset=utf-8', body);
}

function answerFailure(
  exchange: Exchange,
  language: Language,
  error: AppError,
  log: PublicTools['log'],
): Answer {
  if (needsLogging(error))
    log.error({ requestId: exchange.requestId, route: ARCHIVE_PATH, err: error.cause }, error.message);
  const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
  setHeaders(exchange, { ...headers, ...PUBLIC_HEADERS });
  return { status, body: error.code === 'NOT_FOUND' ? renderArchiveGone(language) : renderTrouble(language) };
}

function notPostable(methods: string, exchange: Exchange): AppError {
  exchange.setHeader('allow', methods);
  return new AppError('METHOD_NOT_ALLOWED', `This path only supports ${methods}.`);
}

function setHeaders(exchange: Exchange, headers: Record<string, string>): void {
  for (const name in headers) exchange.setHeader(name, headers[name]!);
}

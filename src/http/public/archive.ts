/**
 * The public archive of a contact book: `/a/{id}` lists its emails, `/a/{id}/{campaignId}` shows one, and
 * `/a/{id}/feed.xml` is the feed. Everything that is not public is not found.
 */
import { createHash } from 'node:crypto';
import {
  findArchive,
  findArchivedCampaign,
  listArchivedCampaigns,
  type Archive,
} from '../../features/campaigns/archive/archive.ts';
import { createContentReader } from '../../features/campaigns/archive/archived-content.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, needsLogging, notFound } from '../../platform/errors.ts';
import { toErrorAnswer } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { renderFeed } from './archive-feed.ts';
import {
  archiveHeaders,
  emailPageHeaders,
  renderArchive,
  renderArchiveGone,
  renderEmailPage,
  sharedHeaders,
} from './archive-page.ts';
import { findLook } from './look.ts';
import { PUBLIC_HEADERS } from './page.ts';
import { renderTrouble } from './pages.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';
import { chooseLanguage, type Language } from './texts.ts';

const ARCHIVE_PATH = '/a/';
const CAMPAIGNS_PER_PAGE = 30;
const CAMPAIGNS_IN_FEED = 30;

export function createArchiveRoute({ db, facts, log }: PublicTools): PublicRoute {
  const readContent = createContentReader(db);
  const base = facts.baseUrl.replace(/\/+$/, '');

  async function answer(exchange: Exchange, language: Language): Promise<Answer> {
    const [bookId = '', name = '', ...rest] = exchange.path.slice(ARCHIVE_PATH.length).split('/');
    const archive = rest.length === 0 ? await findArchive(db, bookId) : undefined;
    if (!archive) throw notFound('Archive');
    const url = `${base}${ARCHIVE_PATH}${archive.id}`;
    if (name === 'feed.xml') return answerFeed(exchange, archive, url);
    const view = { language, look: await findLook(db, archive.teamId) };
    if (name === '') {
      const before = exchange.query.before ?? null;
      const page = await listArchivedCampaigns(db, archive, { before, limit: CAMPAIGNS_PER_PAGE });
      setHeaders(exchange, archiveHeaders(archive, view.look));
      return { status: 200, body: renderArchive(view, { archive, url, isFirst: before === null, ...page }) };
    }
    const campaign = await findArchivedCampaign(db, archive, name);
    if (!campaign) throw notFound('Email');
    const content = await readContent(archive.teamId, campaign.id);
    setHeaders(exchange, emailPageHeaders(archive));
    return { status: 200, body: renderEmailPage(view, { archive, url, campaign, content }) };
  }

  async function answerFeed(exchange: Exchange, archive: Archive, url: string): Promise<Answer> {
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

  return {
    path: ARCHIVE_PATH,
    async answer(exchange) {
      if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
        exchange.setHeader('allow', 'GET, HEAD');
        throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports GET, HEAD.');
      }
      const language = chooseLanguage(exchange.requestHeader('accept-language'));
      try {
        return await answer(exchange, language);
      } catch (thrown) {
        const error = toAppError(thrown);
        if (needsLogging(error))
          log.error({ requestId: exchange.requestId, route: ARCHIVE_PATH, err: error.cause }, error.message);
        const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
        setHeaders(exchange, { ...headers, ...PUBLIC_HEADERS });
        return {
          status,
          body: error.code === 'NOT_FOUND' ? renderArchiveGone(language) : renderTrouble(language),
        };
      }
    },
  };
}

function setHeaders(exchange: Exchange, headers: Record<string, string>): void {
  for (const name in headers) exchange.setHeader(name, headers[name]!);
}

/**
 * Serves an image of a media library. Emails show it, so it needs no authentication, sets no cookie and may be shown by
 * any page. It is cached for a year, because its URL contains the hash of the content.
 */
import type { Facts } from '../../features/instance/facts.ts';
import { LINK_PATHS, publicLinksOf } from '../../features/content/links/links.ts';
import { createMediaReader } from '../../features/content/media/read-media.ts';
import type { Db } from '../../platform/database/database.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { describeFile } from '../requests/content-disposition.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';

const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'cross-origin',
  // The bytes come from a user. If a browser treats them as a page, the policy prevents it from running anything.
  'content-security-policy': "default-src 'none'; sandbox",
};

export function createMediaAnswerer(db: Db, facts: Facts): (exchange: Exchange) => Promise<Answer> {
  const readMedia = createMediaReader(db);
  const links = publicLinksOf(facts);
  return async (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      exchange.setHeader('allow', 'GET, HEAD');
      throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports GET, HEAD.');
    }
    // Errors must not be cached, because a deleted image can be uploaded again.
    exchange.setHeader('cache-control', 'no-store');
    const link = links.readMedia(exchange.path.slice(LINK_PATHS.media.length));
    if (!link || !exchange.servesTeam(link.teamId)) throw notFound('Image');
    const image = await readMedia(link);
    const etag = `"${link.hash.toString('base64url')}"`;
    const isKnown = matches(exchange.requestHeader('if-none-match'), etag);
    const bytes = isKnown ? null : await image.read();
    for (const [name, value] of Object.entries(HEADERS)) exchange.setHeader(name, value);
    exchange.setHeader('etag', etag);
    if (!bytes) return exchange.answerEmpty(304);
    exchange.setHeader('content-disposition', describeFile('inline', image.name));
    return exchange.answer(200, image.contentType, bytes);
  };
}

/** Compares If-None-Match weakly (RFC 9110 section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Serves a file of an email by its signed link. The file may come from an outsider, so browsers may only save it. */
import { readLinkedFile } from '../../features/activity/email-log/files.ts';
import type { Facts } from '../../features/instance/facts.ts';
import { LINK_PATHS, publicLinksOf } from '../../features/content/links/links.ts';
import { databaseNow, type Db } from '../../platform/database/database.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { describeFile } from '../requests/content-disposition.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';

export async function answerFile(db: Db, facts: Facts, exchange: Exchange): Promise<Answer> {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    exchange.setHeader('allow', 'GET, HEAD');
    throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports GET, HEAD.');
  }
  const link = publicLinksOf(facts).readFile(exchange.path.slice(LINK_PATHS.file.length));
  if (!link || !exchange.servesTeam(link.teamId) || link.expiresAt <= (await databaseNow(db)))
    throw notFound('File');
  const { contentType, filename, bytes } = await readLinkedFile(db, link);
  exchange.setHeader('cache-control', 'private, no-store');
  exchange.setHeader('content-security-policy', "default-src 'none'; sandbox");
  exchange.setHeader('content-disposition', describeFile('attachment', filename ?? 'file'));
  return exchange.answer(200, contentType, bytes);
}

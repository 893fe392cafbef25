/**
 * TLS reports that other servers post (RFC 8460 section 3): JSON or gzip of it, whatever the type says. The token in the
 * path belongs to a domain, and is published in its DNS.
 */
import { findReportToken } from '../../features/deliverability/reports/report-address.ts';
import { receivePostedReport } from '../../features/deliverability/reports/receive-report.ts';
import { TLS_REPORT_PATH } from '../../features/sending/domains/domain-hosts.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import { ReportProblem } from '../../mail/reports/report-problem.ts';
import { AppError, badRequest, notFound } from '../../platform/errors.ts';
import { readChunks } from '../requests/body.ts';
import { createWindowLimit } from './window-limit.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';

/** Packed reports have a few kB. */
const MAX_BYTES = 1_000_000;
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export function createTlsReportRoute({ db, facts }: PublicTools): PublicRoute {
  const limit = createWindowLimit();
  return {
    path: TLS_REPORT_PATH,
    async answer(exchange) {
      if (exchange.method !== 'POST') {
        exchange.setHeader('allow', 'POST');
        throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports POST.');
      }
      const domain = await findReportToken(db, exchange.path.slice(TLS_REPORT_PATH.length));
      if (!domain) throw notFound('Report address');
      const waitSeconds = limit.count(String(domain.domainId), PER_MINUTE, MINUTE_MS);
      if (waitSeconds > 0)
        throw new AppError('RATE_LIMITED', 'Too many reports. Try again later.', {
          retryAfterSeconds: waitSeconds,
        });
      const body = Buffer.concat(await readChunks(exchange.incoming, { limitBytes: MAX_BYTES }));
      await requireSpace(facts, domain.teamId, body.length);
      try {
        await receivePostedReport(db, domain, body);
      } catch (error) {
        throw error instanceof ReportProblem ? badRequest(error.message) : error;
      }
      return exchange.answer(200, 'application/json; charset=utf-8', '{"success":true}');
    },
  };
}

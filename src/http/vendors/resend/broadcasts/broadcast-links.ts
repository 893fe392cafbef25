import { z } from 'zod';
import { listClickedLinks } from '../../../../features/campaigns/report/report.ts';
import { sha256 } from '../../../../platform/crypto.ts';
import { pathId } from '../../../../platform/schema.ts';
import { listOf, listQuery, pageOf, toList } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';

const link = z.object({ id: z.string(), url: z.string(), clicks: z.int(), unique_clicks: z.int() });

export const resendClickedLinkRoutes = [
  resendRoute({
    method: 'GET',
    path: '/broadcasts/{id}/clicked-links',
    scope: 'campaigns.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    params: z.object({ id: pathId() }),
    query: listQuery,
    answer: listOf(link),
    async handle({ db, caller, params: { id }, query }) {
      const links = await listClickedLinks(db, caller, id);
      return toList(
        pageOf(links, query, ({ url }) => idOf(url)),
        ({ url, clicks, people }) => ({ id: idOf(url), url, clicks, unique_clicks: people }),
      );
    },
  }),
];

/** Only a cursor is accepted, and URLs can be longer. */
function idOf(url: string): string {
  return sha256(Buffer.from(url)).toString('base64url');
}

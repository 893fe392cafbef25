/**
 * The page by which the owner of an address agrees that a mailbox forwards mail to it. GET changes nothing, because link
 * scanners open links too.
 */
import {
  confirmForward,
  findForwardRequest,
  FORWARD_PATH,
} from '../../features/mailboxes/rules/forward-targets.ts';
import { markup } from '../pages/markup.ts';
import { PLAIN } from './look.ts';
import { publicHeaders, renderPage } from './page.ts';
import { renderBroken } from './pages.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';

export function createForwardRoute({ db }: PublicTools): PublicRoute {
  return {
    path: FORWARD_PATH,
    async answer(exchange) {
      const token = exchange.path.slice(FORWARD_PATH.length);
      const headers = publicHeaders({ look: PLAIN });
      for (const name in headers) exchange.setHeader(name, headers[name]!);
      const request = await findForwardRequest(db, token);
      if (!request) return { status: 404, body: renderBroken('en') };
      const { mailbox, address } = request;
      if (exchange.method === 'POST' && (await confirmForward(db, token))) {
        const text = markup`<p>${mailbox} now forwards mail to ${address}.</p>`;
        return { status: 200, body: renderPage('en', 'Thank you', text, PLAIN) };
      }
      const question = markup`<p>Shall ${mailbox} forward mail to ${address}?</p><form method="post"><button type="submit">Agree</button></form>`;
      return { status: 200, body: renderPage('en', 'Forward mail to you', question, PLAIN) };
    },
  };
}

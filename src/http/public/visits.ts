/**
 * Serves opens and clicks on a separate short path, without request log and routing, because a campaign can cause very
 * many of them at the same time. They are recorded in the background.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VisitRequest } from '../../features/sending/visits/classify-visitor.ts';
import { LINK_PATHS, publicLinksOf } from '../../features/content/links/links.ts';
import type { VisitRecorder } from '../../features/sending/visits/visit-recorder.ts';
import type { Facts } from '../../features/instance/facts.ts';
import { readPurpose } from '../requests/prefetch.ts';
import { PUBLIC_HEADERS } from './page.ts';
import { renderBroken } from './pages.ts';
import { chooseLanguage } from './texts.ts';

export interface VisitTools {
  facts: Facts;
  visits: VisitRecorder;
}

interface VisitAnswer {
  status: number;
  headers: Record<string, string>;
  /** A binary string: one character per byte. */
  body: string;
}

/** Returns null for other paths. Otherwise the response has been sent. */
type AnswerVisit = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  /** The team of the host that the request came for. Null for a host of ours. */
  onlyTeam: number | null,
) => { path: string; status: number } | null;

/** A binary string, because node sends a string together with the headers in one write. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64').toString(
  'latin1',
);
const PIXEL_HEADERS = {
  'content-type': 'image/gif',
  'content-length': String(PIXEL.length),
  'cache-control': 'no-store, max-age=0',
  'x-content-type-options': 'nosniff',
};

export function createVisitAnswerer({ facts, visits }: VisitTools): AnswerVisit {
  const links = publicLinksOf(facts);

  function open(token: string, incoming: IncomingMessage, onlyTeam: number | null): VisitAnswer {
    const read = links.readOpen(token);
    const email = read && (onlyTeam ?? read.teamId) === read.teamId ? read : null;
    if (email) visits.opened(email, requestOf(incoming));
    return { status: email ? 200 : 404, headers: PIXEL_HEADERS, body: PIXEL };
  }

  function click(token: string, incoming: IncomingMessage, onlyTeam: number | null): VisitAnswer {
    const link = links.readClick(token);
    if (!link || (onlyTeam ?? link.teamId) !== link.teamId) return refuse(incoming, 404);
    visits.clicked(link, requestOf(incoming));
    return { status: 302, headers: headersTo(link.url), body: '' };
  }

  return (incoming, outgoing, onlyTeam) => {
    const url = incoming.url!;
    const path = url.startsWith(LINK_PATHS.open)
      ? LINK_PATHS.open
      : url.startsWith(LINK_PATHS.click)
        ? LINK_PATHS.click
        : null;
    if (path === null) return null;
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
    const token = tokenOf(url, path);
    const answer = !isRead
      ? refuse(incoming, 405)
      : path === LINK_PATHS.open
        ? open(token, incoming, onlyTeam)
        : click(token, incoming, onlyTeam);
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(incoming.method === 'HEAD' ? '' : answer.body, 'latin1');
    return { path, status: answer.status };
  };
}

function tokenOf(url: string, path: string): string {
  const end = url.indexOf('?');
  return url.slice(path.length, end === -1 ? undefined : end);
}

function refuse(incoming: IncomingMessage, status: 404 | 405): VisitAnswer {
  const page = renderBroken(chooseLanguage(incoming.headers['accept-language']));
  const body = Buffer.from(page).toString('latin1');
  const headers = { ...PUBLIC_HEADERS, 'content-length': String(body.length) };
  return { status, headers: status === 405 ? { ...headers, allow: 'GET, HEAD' } : headers, body };
}

function requestOf({ method, headers }: IncomingMessage): VisitRequest {
  return { method: method!, userAgent: headers['user-agent'] ?? null, purpose: readPurpose(headers) };
}

function headersTo(url: string): Record<string, string> {
  return {
    'content-length': '0',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    location: toHeaderText(url),
  };
}

/** Keeps the URL as written and encodes only the characters that a header cannot contain, as browsers do. */
function toHeaderText(url: string): string {
  return url.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));
}

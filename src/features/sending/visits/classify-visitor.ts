/**
 * Distinguishes people from bots that access email automatically, by their user agent or by behaviour that no person
 * shows. Unknown visitors count as people. So do curl and similar tools, because people test links with them. Scanners
 * that pretend to be such a tool are detected when they follow every link.
 */
export interface VisitRequest {
  method: string;
  userAgent: string | null;
  /** Set by browsers that prefetch: Sec-Purpose, Purpose, X-Purpose or X-Moz. */
  purpose: string | null;
}

/** People do not follow this many links within a second, but scanners follow all of them. */
const SCANNER_LINKS = 3;

/** Apple's Mail Privacy Protection loads every image on arrival with only this user agent. */
const APPLE_PRIVACY = /^Mozilla\/5\.0$/;

/** Image proxies of large providers, which load images for all users. */
const IMAGE_PROXIES = /GoogleImageProxy|ggpht\.com|YahooMailProxy|YahooCacheSystem|Mail\.RuImageProxy/i;

const SCANNERS = new RegExp(
  [
    // Security products that check links before their users open them.
    'barracuda|mimecast|proofpoint|urldefense|ironport|fortiguard|fortimail|sophos|symantec|messagelabs|trendmicro',
    'trend micro|zscaler|safelinks|checkpoint|cloudmark|spamassassin|virustotal|urlscan|vade|\\bcisco|bitdefender|avast',
    'kaspersky|forcepoint|websense|mailscanner|linkcheck|link-check|phishtank|netcraft|expanse|censys|palo ?alto',
    // Crawlers, previews and monitoring. (Cubot makes phones.)
    '(?<!cu)bot\\b|(?<!cu)bot[/_-]|crawl|spider|slurp|scanner|preview|facebookexternalhit|whatsapp/|skypeuripreview|snippet',
    'monitor|pingdom|uptime|headless|phantomjs|selenium|puppeteer|playwright',
  ].join('|'),
  'i',
);
const PREFETCH = /prefetch|preview|prerender/i;

const MAX_CACHED = 1_000;
const cache = new Map<string, boolean>();

export function classifyVisitor({ method, userAgent, purpose }: VisitRequest): 'person' | 'machine' {
  const isMachine =
    method !== 'GET' || (purpose !== null && PREFETCH.test(purpose)) || hasMachineUserAgent(userAgent ?? '');
  return isMachine ? 'machine' : 'person';
}

/** Cached, because many visitors share a user agent. */
function hasMachineUserAgent(userAgent: string): boolean {
  let isMachine = cache.get(userAgent);
  if (isMachine === undefined) {
    isMachine = [APPLE_PRIVACY, IMAGE_PROXIES, SCANNERS].some((machine) => machine.test(userAgent));
    if (cache.size === MAX_CACHED) cache.clear();
    cache.set(userAgent, isMachine);
  }
  return isMachine;
}

/** `linksAtOnce` is the number of different links of one email that were followed within a second. */
export function isScanner(linksAtOnce: number): boolean {
  return linksAtOnce >= SCANNER_LINKS;
}

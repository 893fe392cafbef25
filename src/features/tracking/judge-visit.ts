/**
 * Who was it: a person, or a machine that looks at mail for one? Machines are known by what they say of themselves,
 * or by doing what no person does. In doubt it was a person: so curl and its like count, since whoever tries a link
 * with them wants to see it counted, and a scanner that calls itself so betrays itself by following every link.
 */
export interface VisitRequest {
  method: string;
  userAgent: string | null;
  /** What a browser says that loads ahead of its user: Sec-Purpose, Purpose, X-Purpose or X-Moz. */
  purpose: string | null;
}

/** Nobody follows so many links in a second; a scanner follows all of them. */
const LINKS_OF_A_SCANNER = 3;

/** Apple's Mail Privacy Protection loads every picture on arrival, and says nothing but this. */
const APPLE_PRIVACY = /^Mozilla\/5\.0$/;

/** The large providers' caches of pictures, which load for everybody. */
const PICTURE_PROXIES = /GoogleImageProxy|ggpht\.com|YahooMailProxy|YahooCacheSystem|Mail\.RuImageProxy/i;

const SCANNERS = new RegExp(
  [
    // Security products that read links before their users do.
    'barracuda|mimecast|proofpoint|urldefense|ironport|fortiguard|fortimail|sophos|symantec|messagelabs|trendmicro',
    'trend micro|zscaler|safelinks|checkpoint|cloudmark|spamassassin|virustotal|urlscan|vade|\\bcisco|bitdefender|avast',
    'kaspersky|forcepoint|websense|mailscanner|linkcheck|link-check|phishtank|netcraft|expanse|censys|palo ?alto',
    // Crawlers, previews and watchers.
    // (Cubot makes telephones.)
    '(?<!cu)bot\\b|(?<!cu)bot[/_-]|crawl|spider|slurp|scanner|preview|facebookexternalhit|whatsapp/|skypeuripreview|snippet',
    'monitor|pingdom|uptime|headless|phantomjs|selenium|puppeteer|playwright',
  ].join('|'),
  'i',
);
const AHEAD = /prefetch|preview|prerender/i;

const MAX_KNOWN = 1_000;
const known = new Map<string, boolean>();

export function judgeVisit({ method, userAgent, purpose }: VisitRequest): 'person' | 'machine' {
  const isMachine =
    method !== 'GET' || (purpose !== null && AHEAD.test(purpose)) || callsItselfMachine(userAgent ?? '');
  return isMachine ? 'machine' : 'person';
}

/** Most visitors call themselves like many others. */
function callsItselfMachine(userAgent: string): boolean {
  let isMachine = known.get(userAgent);
  if (isMachine === undefined) {
    isMachine = [APPLE_PRIVACY, PICTURE_PROXIES, SCANNERS].some((machine) => machine.test(userAgent));
    if (known.size === MAX_KNOWN) known.clear();
    known.set(userAgent, isMachine);
  }
  return isMachine;
}

/** By how many different links of one email were followed within a second. */
export function isScanner(linksAtOnce: number): boolean {
  return linksAtOnce >= LINKS_OF_A_SCANNER;
}

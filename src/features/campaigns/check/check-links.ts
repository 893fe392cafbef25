/** Checks whether the links and images of a campaign can be reached. */
import { hasBlocks } from '../../../mail/html/merge-tags.ts';
import type { References } from '../../../mail/html/find-references.ts';
import { createTeamQueue } from '../../../platform/concurrency/team-queue.ts';
import type { UrlCheck } from '../../instance/check-urls.ts';
import type { Facts } from '../../instance/facts.ts';
import { advise, count, SAMPLE, warn } from './check-content.ts';
import { MAX_CHECKED_LINKS, type CheckedLink, type CampaignFinding } from './check.schema.ts';

const DEADLINE_MS = 15_000;
const MAX_URL_LENGTH = 2_000;
/** Each check makes up to ten requests at a time. */
const linkQueue = createTeamQueue({ atOnce: 8, perTeam: 1 });

export interface CheckedLinks {
  links: CheckedLink[];
  linksLeftOut: number;
  findings: CampaignFinding[];
}

/** `references` are those of each variant, with merge tags instead of values. */
export async function checkLinks(
  teamId: number,
  references: References[],
  { clicksTracked, asks }: { clicksTracked: boolean; asks: boolean },
  facts: Pick<Facts, 'checkUrls' | 'stopping' | 'baseUrl'>,
): Promise<CheckedLinks> {
  const all = collectLinks(references, clicksTracked);
  const links = all.slice(0, MAX_CHECKED_LINKS);
  const asked = asks ? links.filter(({ url }) => canBeAsked(url, facts.baseUrl)) : [];
  if (asked.length > 0) {
    await linkQueue(teamId, async () => {
      const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), facts.stopping]);
      const checks = await facts.checkUrls(
        asked.map(({ url }) => url),
        signal,
      );
      for (const [at, link] of asked.entries()) Object.assign(link, describe(link, checks[at]!));
    });
  }
  const linksLeftOut = all.length - links.length;
  const late = asked.filter(({ state }) => state === 'unchecked');
  return { links, linksLeftOut, findings: judge(links, { late, linksLeftOut, clicksTracked, asks }) };
}

/** Returns each URL once, in the order of the content. */
function collectLinks(references: References[], clicksTracked: boolean): CheckedLink[] {
  const found = new Map<string, CheckedLink>();
  for (const { links, images } of references) {
    const named = [
      ...links.map(({ url, mayBeTracked }) => ({
        url,
        kind: 'link' as const,
        tracked: clicksTracked && mayBeTracked && !hasTags(url),
      })),
      ...images.map(({ url }) => ({ url, kind: 'image' as const, tracked: false })),
    ];
    for (const link of named) {
      if (!/^https?:\/\/[^/?#]/i.test(link.url) || link.url.length > MAX_URL_LENGTH) continue;
      const key = `${link.kind} ${link.url}`;
      if (!found.has(key)) found.set(key, { ...link, state: 'unchecked', statusCode: null, problem: null });
    }
  }
  return [...found.values()];
}

/**
 * A URL with merge tags differs for each recipient, so it is not checked, nor are links to this server and placeholder
 * links.
 */
function canBeAsked(url: string, baseUrl: string): boolean {
  if (hasTags(url) || SAMPLE.test(url) || !URL.canParse(url)) return false;
  return new URL(url).origin !== new URL(baseUrl).origin;
}

/** Servers that respond with these may still show the page to a person. */
const DOUBTFUL = new Set([401, 403, 407, 408, 425, 429, 451, 503, 999]);

function describe(
  { kind }: CheckedLink,
  check: UrlCheck | null,
): Pick<CheckedLink, 'state' | 'statusCode' | 'problem'> {
  if (!check) return { state: 'unchecked', statusCode: null, problem: null };
  const { statusCode, contentType } = check;
  // Images in mailboxes and intranets redirect others to a sign-in page.
  const isPage = kind === 'image' && check.problem === null && contentType?.startsWith('text/html') === true;
  const problem = isPage && statusCode! < 400 ? ('not_an_image' as const) : check.problem;
  const isFine = problem === null && statusCode! < 400;
  const isDoubtful = problem === 'timeout' || (statusCode !== null && DOUBTFUL.has(statusCode));
  return { state: isFine ? 'ok' : isDoubtful ? 'doubtful' : 'broken', statusCode, problem };
}

function urlsOf(links: CheckedLink[]): string[] {
  return links.map(({ url }) => url);
}

interface Circumstances {
  /** The links that could not be checked in time. */
  late: CheckedLink[];
  linksLeftOut: number;
  clicksTracked: boolean;
  asks: boolean;
}

function judge(
  links: CheckedLink[],
  { late, linksLeftOut, clicksTracked, asks }: Circumstances,
): CampaignFinding[] {
  const broken = links.filter(({ state }) => state === 'broken');
  const doubtful = links.filter(({ state }) => state === 'doubtful');
  const untracked = links.filter(({ kind, tracked }) => clicksTracked && kind === 'link' && !tracked);
  const findings = [];
  if (broken.length > 0) {
    const message = `${count(broken.length, 'link or image', 'links or images')} cannot be reached. Correct or remove ${broken.length === 1 ? 'it' : 'them'}.`;
    findings.push(warn('broken_links', message, urlsOf(broken)));
  }
  if (doubtful.length > 0) {
    const message = `${count(doubtful.length, 'link', 'links')} could not be checked, because a server was busy or blocks automated requests. Open ${doubtful.length === 1 ? 'it' : 'them'} yourself to be sure.`;
    findings.push(advise('doubtful_links', message, urlsOf(doubtful)));
  }
  if (late.length > 0) {
    const message = `There was no time to check ${count(late.length, 'link or image', 'links or images')}, because other servers were too slow. Open ${late.length === 1 ? 'it' : 'them'} yourself to be sure.`;
    findings.push(advise('unchecked_links', message, urlsOf(late)));
  }
  if (untracked.length > 0) {
    const message = `Clicks on ${count(untracked.length, 'link', 'links')} are not counted, because of merge tags in the URL or a setting of the link.`;
    findings.push(advise('untracked_links', message, urlsOf(untracked)));
  }
  if (asks && linksLeftOut > 0) {
    const message = `Only the first ${MAX_CHECKED_LINKS} links and images were checked. ${count(linksLeftOut, 'other was', 'others were')} not.`;
    findings.push(advise('links_left_out', message));
  }
  return findings.map((finding) => ({ ...finding, variant: null }));
}

/** Such a URL differs between recipients. */
function hasTags(url: string): boolean {
  return url.includes('{{') || hasBlocks(url);
}

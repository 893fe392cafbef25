/** Marks the links of an email with the number of people who clicked them. */
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { texts } from '../../../texts/en.ts';
import { reportTexts } from '../../../texts/en/report.ts';

const t = reportTexts;
/**
 * The mark has no width, so that the email keeps its layout: the badge lies over the upper right corner of its link.
 */
const CORNER = 'position:relative;display:inline-block;width:0;height:0;vertical-align:top';
const BADGE =
  'position:absolute;z-index:1;left:-12px;top:-12px;padding:0 6px;border-radius:9px;font:600 11px/18px system-ui,sans-serif;background:#23211d;color:#fff;text-decoration:none;white-space:nowrap';
const BLOCK_BADGE = `${BADGE};left:auto;right:-12px`;
const LEAST_OPACITY = 0.15;
const MOST_OPACITY = 0.65;

/** `delivered` is the base of the share in each badge. The marks are styles, because the frame runs no scripts. */
export function markLinks(html: string, links: CampaignReport['links'], delivered: number): string {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const byUrl = new Map(links.map((link) => [link.url, link.people]));
  const most = Math.max(1, ...byUrl.values());
  for (const anchor of document.querySelectorAll<HTMLAnchorElement>('a[href], area[href]')) {
    // The server removes line breaks and outer spaces from a tracked URL too.
    const people = byUrl.get(
      anchor
        .getAttribute('href')!
        .replaceAll(/[\t\r\n]/g, '')
        .trim(),
    );
    if (people === undefined) continue;
    const opacity = LEAST_OPACITY + (MOST_OPACITY - LEAST_OPACITY) * (people / most);
    const shadow = `0 0 0 4px rgba(229, 140, 30, ${opacity.toFixed(2)})`;
    anchor.style.boxShadow = `${shadow}, inset 0 0 0 100px rgba(229, 140, 30, ${opacity.toFixed(2)})`;
    anchor.style.borderRadius ||= '3px';
    const badge = document.createElement('span');
    // Content after a block would begin on the next line, so the badge goes inside.
    const isBlock = anchor.style.display === 'block';
    if (isBlock) anchor.style.position = 'relative';
    badge.setAttribute('style', isBlock ? BLOCK_BADGE : BADGE);
    badge.textContent = t.heatBadge(
      people,
      texts.common.percent(delivered === 0 ? 0 : (100 * people) / delivered),
    );
    if (isBlock) anchor.append(badge);
    else anchor.after(inCorner(badge));
  }
  return document.documentElement.outerHTML;
}

function inCorner(badge: HTMLElement): HTMLElement {
  const corner = document.createElement('span');
  corner.setAttribute('style', CORNER);
  corner.append(badge);
  return corner;
}

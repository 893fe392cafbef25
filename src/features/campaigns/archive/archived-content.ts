/**
 * The content of a campaign as anyone may see it: merge tags have their fallbacks, and links for one recipient are
 * removed with their text. A sent campaign never changes, so the latest content is cached.
 */
import { compileText } from '../../../mail/mime/compose/message-template.ts';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { isLinkTag } from '../../../mail/html/tag-names.ts';
import { cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import { inlineStylesOffLoop } from '../../../mail/offload/inline-styles.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { loadCampaign } from '../campaign-renderer.ts';
import { escapeBlocks } from '../../content/rendering/prepare-content.ts';
import { readFeedValue } from '../feed-values.ts';
import { withVariant } from '../variants.ts';

const MAX_KEPT_CHARACTERS = 16_000_000;
/** A placeholder for links for one recipient, which are found and removed once the HTML is clean. */
const RECIPIENT_LINK = 'https://nobody.invalid/';
const RECIPIENT_HREF = `href="${RECIPIENT_LINK}"`;

/** Reads the content of a campaign in the archive. Empty for a campaign without content. */
export type ReadContent = (teamId: number, campaignId: string) => Promise<string>;

export function createContentReader(db: Db): ReadContent {
  const kept = new Map<string, { content: Promise<string>; length: number }>();
  let characters = 0;

  async function keep(key: string, content: Promise<string>): Promise<void> {
    const entry = { content, length: 0 };
    kept.set(key, entry);
    try {
      entry.length = (await content).length;
    } catch {
      // The visitor gets the error from the promise itself.
      kept.delete(key);
      return;
    }
    // It may have been dropped in the meantime to free space.
    if (kept.get(key) !== entry) return;
    characters += entry.length;
    for (const [oldest, { length }] of kept) {
      if (characters <= MAX_KEPT_CHARACTERS || oldest === key) break;
      kept.delete(oldest);
      characters -= length;
    }
  }

  return (teamId, campaignId) => {
    const found = kept.get(campaignId);
    if (found) return found.content;
    const content = renderPublicContent(db, teamId, decodeId('cmp', campaignId)!);
    void keep(campaignId, content);
    return content;
  };
}

async function renderPublicContent(db: Db, teamId: number, id: string): Promise<string> {
  const campaign = await loadCampaign(db, teamId, id);
  if (!campaign) return '';
  const { html, content } = withVariant(campaign, campaign.winner ?? 0);
  const source = html ?? (content && renderEditorHtml(content));
  if (!source) return '';
  const styled = await inlineStylesOffLoop(escapeBlocks(source), teamId);
  const filled = compileText(
    styled,
    'html',
    (name) => () => (isLinkTag(name) ? RECIPIENT_LINK : readFeedValue(campaign.feed, name)),
  )(null);
  // The display form has the rules that cannot be inlined, such as those for narrow screens, scoped to the email.
  const { html: clean, displayHtml } = await cleanMailOffLoop(filled);
  return removeRecipientLinks(displayHtml ?? clean ?? '');
}

/** Expects clean HTML, in which links are not nested. */
function removeRecipientLinks(html: string): string {
  let kept = '';
  let from = 0;
  for (let at = html.indexOf(RECIPIENT_HREF); at !== -1; at = html.indexOf(RECIPIENT_HREF, from)) {
    const start = html.lastIndexOf('<', at);
    const end = html.indexOf('</a>', at);
    kept += html.slice(from, start);
    from = end === -1 ? html.length : end + '</a>'.length;
  }
  return (kept + html.slice(from)).replaceAll(RECIPIENT_LINK, '');
}

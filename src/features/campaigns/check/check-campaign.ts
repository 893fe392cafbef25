/**
 * Checks a campaign before it is sent. Problems for which `scheduleCampaign` would reject it, and content that cannot
 * be rendered, block it; everything else is for the author to judge. Nothing is stored or sent.
 */
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { findReferences, type References } from '../../../mail/html/find-references.ts';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { createTeamQueue } from '../../../platform/concurrency/team-queue.ts';
import type { Facts } from '../../instance/facts.ts';
import { publicLinksOf } from '../../content/links/links.ts';
import { compileVariant, loadCampaign, type LoadedCampaign } from '../campaign-renderer.ts';
import { findCampaign, type CampaignCaller } from '../campaign-row.ts';
import { prepareContent } from '../../content/rendering/prepare-content.ts';
import { findUntranslated } from '../languages.ts';
import { findProblem } from '../states.ts';
import { findRecipient } from '../test-campaign.ts';
import { checkTags } from '../unknown-tags.ts';
import { allVariants } from '../variants.ts';
import { checkContent } from './check-content.ts';
import { checkLinks } from './check-links.ts';
import { checkSender } from './check-sender.ts';
import { checkWarmUp } from './check-warm-up.ts';
import {
  checkImageRatio,
  checkListedLinks,
  checkOneClick,
  scoreVariants,
  type RenderedVariant,
} from './check-spam.ts';
import { countAudience } from './count-audience.ts';
import type { CampaignAudience, CampaignCheck, CampaignFinding } from './check.schema.ts';

/** Counting recipients and looking for properties may read all contacts of a book. */
const readQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });
const SAMPLE_RECIPIENT = parseAddress('reader@example.com')!;
const MAX_PLACES = 20;
const LEVELS = ['blocks', 'warning', 'advice'] as const;

export async function checkCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  { links: asks }: { links: boolean },
  facts: Facts,
): Promise<CampaignCheck> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const campaign = (await loadCampaign(db, teamId, id))!;
  const { audience, findings: state } = await readQueue(teamId, () => checkState(db, campaign));
  const { sender, findings: aboutSender } = await checkSender(db, campaign, facts);
  const { days, findings: aboutDays } = await readQueue(teamId, () =>
    checkWarmUp(db, campaign, audience.recipients, facts),
  );
  const content = await checkVariants(db, campaign, facts);
  const { clicksTracked } = campaign;
  const { findings: aboutLinks, ...checked } = await checkLinks(
    teamId,
    content.references,
    { clicksTracked, asks },
    facts,
  );
  const { spam, findings: aboutSpam } = asks
    ? await scoreVariants(db, teamId, content.rendered, facts)
    : { spam: null, findings: [] };
  const listed = asks ? await checkListedLinks(content.references, facts) : [];
  const { oneClick, findings: aboutOneClick } = checkOneClick(facts);
  const findings = [
    ...state,
    ...checkTracking(campaign),
    ...aboutDays,
    ...aboutSender,
    ...content.findings,
    ...aboutLinks,
    ...aboutSpam,
    ...listed,
    ...aboutOneClick,
  ].toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  const ready = findings.every(({ level }) => level !== 'blocks');
  return {
    ready,
    findings,
    ...checked,
    htmlBytes: content.htmlBytes,
    spam,
    oneClick,
    days,
    sender,
    audience,
  };
}

/** Checks whether the campaign can be scheduled, and counts its recipients. */
async function checkState(
  db: Db,
  campaign: LoadedCampaign,
): Promise<{ audience: CampaignAudience; findings: CampaignFinding[] }> {
  const problem = await findProblem(db, campaign);
  const tags = await checkTags(db, campaign);
  const audience = await countAudience(db, campaign);
  const findings: CampaignFinding[] = [];
  if (problem) findings.push(block('not_ready', problem));
  if (tags.problem) findings.push(block('unknown_tags', tags.problem, tags.unknown));
  const untranslated = await findUntranslated(db, campaign);
  if (untranslated.length > 0)
    findings.push({
      code: 'missing_translations',
      level: 'advice',
      message: 'Some contacts have a language without a translation. They get the default content.',
      places: untranslated.slice(0, MAX_PLACES),
      variant: null,
    });
  if (!problem && audience.recipients === 0) {
    findings.push(
      block(
        'no_recipients',
        'Nobody would get this campaign if it started now. Choose another contact book, segment or topic.',
      ),
    );
  }
  return { audience, findings };
}

function checkTracking({
  variants,
  decideBy,
  opensTracked,
  clicksTracked,
}: LoadedCampaign): CampaignFinding[] {
  const isDecided = { opens: opensTracked, clicks: clicksTracked, person: true }[decideBy];
  // All variants have the same result, and the first one wins.
  if (variants && !isDecided) {
    const message = `The A/B test is decided by ${decideBy}, but ${decideBy} are not tracked, so the first variant would win. Turn on tracking for the domain, or choose the winner yourself.`;
    return [{ code: 'test_not_tracked', level: 'warning', message, places: [], variant: null }];
  }
  if (opensTracked || clicksTracked) return [];
  const message =
    'Opens and clicks are not tracked, so the report will not show them. Turn on tracking for the sending domain to see them.';
  return [{ code: 'not_tracked', level: 'advice', message, places: [], variant: null }];
}

function block(code: CampaignFinding['code'], message: string, places: string[] = []): CampaignFinding {
  return { code, level: 'blocks', message, places, variant: null };
}

async function checkVariants(
  db: Db,
  campaign: LoadedCampaign,
  facts: Facts,
): Promise<{
  references: References[];
  htmlBytes: number;
  rendered: RenderedVariant[];
  findings: CampaignFinding[];
}> {
  const links = publicLinksOf(facts);
  const rendered: RenderedVariant[] = [];
  const references: References[] = [];
  const findings: CampaignFinding[] = [];
  let htmlBytes = 0;
  for (const [number, varied] of allVariants(campaign).entries()) {
    const variant = campaign.variants ? number : null;
    const prepared = await prepareContent(varied);
    const compiled = prepared && (await compileVariant(campaign, variant, links));
    if (!compiled) {
      findings.push({
        ...block('no_content', 'The content is empty. Write something, or choose a template.'),
        variant,
      });
      continue;
    }
    const domain = parseMailbox(varied.sender)!.domain;
    const recipient = await findRecipient(db, campaign, domain, SAMPLE_RECIPIENT);
    const bytes = compiled.countHtmlBytes(recipient);
    const content = varied.html === null ? varied.content : null;
    const source = varied.html ?? renderEditorHtml(varied.content!)!;
    const found = findReferences(prepared.html);
    references.push(found);
    rendered.push({
      render: () => compiled.render(recipient),
      from: parseMailbox(varied.sender)!.email,
      to: SAMPLE_RECIPIENT.email,
    });
    htmlBytes = Math.max(htmlBytes, bytes);
    findings.push(
      ...checkContent(
        { ...varied, html: prepared.html, references: found, source, content, htmlBytes: bytes },
        variant,
      ),
      ...checkImageRatio(prepared.html, found, variant),
    );
  }
  return { references, htmlBytes, rendered, findings };
}

/**
 * Renders campaign emails for the delivery worker, and decides which recipients should still get them. Each process
 * compiles a campaign once, because its content cannot change after the first release.
 */
import { sql } from 'kysely';
import { isInBook } from '../audience/contact-books/deleted-books.ts';
import { TAGGED_COLUMNS } from '../audience/own-fields/own-columns.ts';
import { parseAddress } from '../../mail/mime/address.ts';
import { toNumberArray, type Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { topicCondition } from '../audience/segments/topic-condition.ts';
import { languagesOf, withTranslation } from '../content/translations.ts';
import type { PublicLinks } from '../content/links/links.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign-row.ts';
import {
  compileCampaign,
  type CompiledCampaign,
  type CampaignRecipient,
  type SendingDomain,
} from './compile-campaign.ts';
import { languageFor } from './languages.ts';
import { skipEmails, type RecipientKey } from './skip-emails.ts';
import { skipReason, type SkipReason } from './skip-reason.ts';
import { pause } from './states.ts';
import { allVariants, withVariant } from './variants.ts';

const MAX_COMPILED = 20;
/** Pauses a campaign before a relay that rejects everything uses up the whole ledger. */
const MAX_CONSECUTIVE_FAILURES = 100;

interface CampaignDelivery extends RecipientKey {
  campaignId: string;
}

export interface CampaignRenderer {
  /**
   * Returns null when the campaign is compiled. Otherwise the promise resolves when compiling has finished or
   * failed.
   */
  prepare(delivery: CampaignDelivery): Promise<void> | null;
  /** Returns the recipients that should still get the email. Skips the others and stores the reason in the ledger. */
  address(deliveries: CampaignDelivery[]): Promise<Map<string, CampaignRecipient>>;
  /** Returns null and pauses the campaign when the message cannot be rendered. */
  render(delivery: CampaignDelivery, recipient: CampaignRecipient): Promise<Buffer | null>;
  noteOutcome(delivery: CampaignDelivery, outcome: 'delivered' | 'deferred' | 'bounced'): Promise<void>;
  pause(delivery: CampaignDelivery, reason: string): Promise<void>;
}

/** How soon a campaign that is being sent follows its link host, which may stop working. */
const HOSTS_FRESH_MS = 30_000;

/** Compiles each campaign once, and caches the latest ones. Compiles it again when the host of its links has changed. */
function createCompiledCampaigns(db: Db, links: PublicLinks) {
  const compiled = new Map<string, Promise<CompiledCampaign | null>>();
  const hosts = new Map<string, { of: string; freshUntilMs: number }>();
  const settled = new WeakSet<Promise<unknown>>();

  async function load({ teamId, campaignId }: CampaignDelivery): Promise<CompiledCampaign | null> {
    const campaign = await loadCampaign(db, teamId, campaignId);
    if (campaign) noteHosts(campaignId, campaign);
    return campaign && compileVariants(campaign, links);
  }

  function noteHosts(campaignId: string, { sending }: LoadedCampaign): void {
    if (!hosts.has(campaignId) && hosts.size >= MAX_COMPILED) hosts.delete(hosts.keys().next().value!);
    hosts.set(campaignId, { of: hostsOf(sending), freshUntilMs: performance.now() + HOSTS_FRESH_MS });
  }

  /** Runs beside the emails, which keep the links that the campaign was compiled with until then. */
  async function followHosts({ teamId, campaignId }: CampaignDelivery): Promise<void> {
    const known = hosts.get(campaignId);
    if (!known || known.freshUntilMs > performance.now()) return;
    known.freshUntilMs = performance.now() + HOSTS_FRESH_MS;
    const campaign = await loadCampaign(db, teamId, campaignId).catch(() => null);
    if (!campaign || hostsOf(campaign.sending) === known.of) return;
    hosts.delete(campaignId);
    compiled.delete(campaignId);
  }

  function find(delivery: CampaignDelivery): Promise<CompiledCampaign | null> {
    let found = compiled.get(delivery.campaignId);
    if (!found) {
      if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value!);
      found = load(delivery);
      compiled.set(delivery.campaignId, found);
      // Failures are not cached. Callers that await the promise get the error.
      found.then(
        (campaign) => (campaign ? settled.add(found!) : compiled.delete(delivery.campaignId)),
        () => compiled.delete(delivery.campaignId),
      );
    }
    void followHosts(delivery);
    return found;
  }

  function prepare(delivery: CampaignDelivery): Promise<void> | null {
    const found = find(delivery);
    if (settled.has(found)) return null;
    return found.then(ignore, ignore);
  }

  return { find, prepare };
}

export function createCampaignRenderer(db: Db, links: PublicLinks): CampaignRenderer {
  const { find, prepare } = createCompiledCampaigns(db, links);
  const failures = new Map<string, number>();

  async function pauseWith({ teamId, campaignId }: CampaignDelivery, reason: string): Promise<void> {
    await pause(db, teamId, campaignId, reason);
  }

  return {
    prepare,
    pause: pauseWith,

    async address(deliveries) {
      const found = await readRecipients(db, deliveries);
      const skipped = deliveries.flatMap((delivery) => {
        const reason =
          found.get(delivery.emailId)?.reason ?? (found.has(delivery.emailId) ? null : 'deleted');
        return reason ? [{ ...delivery, reason }] : [];
      });
      if (skipped.length > 0) await skipEmails(db, skipped);
      const recipients = new Map<string, CampaignRecipient>();
      for (const [emailId, { reason, recipient }] of found) if (!reason) recipients.set(emailId, recipient);
      return recipients;
    },

    async render(delivery, recipient) {
      let raw: Buffer | null = null;
      let reason = 'The content cannot be rendered.';
      try {
        raw = (await find(delivery))?.render(recipient) ?? null;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // Database errors are not the campaign's fault.
        if ('code' in error) throw error;
        reason = `The content cannot be rendered: ${error.message}`;
      }
      if (!raw) await pauseWith(delivery, reason);
      return raw;
    },

    async noteOutcome(delivery, outcome) {
      if (outcome === 'deferred') return;
      const consecutive = outcome === 'bounced' ? (failures.get(delivery.campaignId) ?? 0) + 1 : 0;
      if (consecutive === 0) failures.delete(delivery.campaignId);
      else failures.set(delivery.campaignId, consecutive);
      if (consecutive < MAX_CONSECUTIVE_FAILURES) return;
      failures.delete(delivery.campaignId);
      await pauseWith(
        delivery,
        `${MAX_CONSECUTIVE_FAILURES} emails in a row were rejected. Check their events for the replies of the receiving servers.`,
      );
    },
  };
}

function ignore(): void {}

function hostsOf(sending: SendingDomains): string {
  return Object.values(sending)
    .map(({ name, linkHost }) => `${name} ${linkHost ?? ''}`)
    .join();
}

export type LoadedCampaign = CampaignRow & { sending: SendingDomains };

/** The sending domains of a campaign and its variants, by ID. */
type SendingDomains = Record<number, SendingDomain>;

/** Stands for a deleted domain. */
const NO_DOMAIN: SendingDomain = { name: '', openTracking: false, clickTracking: false, linkHost: null };

/** Compiles one variant of a campaign, the first by default. Renders for each recipient the translation for them. */
export async function compileVariant(
  campaign: LoadedCampaign,
  variant: number | null,
  links: PublicLinks,
): Promise<CompiledCampaign | null> {
  const varied = withVariant(campaign, variant ?? 0);
  const domain = campaign.sending[varied.domainId] ?? NO_DOMAIN;
  const { translations } = campaign;
  if (!translations) return compileCampaign(varied, domain, links);
  const languages = languagesOf(translations);
  const compiled = new Map<string | null, CompiledCampaign>();
  for (const language of [null, ...languages]) {
    const translated = await compileCampaign(withTranslation(varied, translations, language), domain, links);
    if (!translated) return null;
    compiled.set(language, translated);
  }
  return choosing((recipient) => compiled.get(languageFor(languages, recipient))!);
}

/** Reads the language again for each recipient, because it is not in the ledger. */
function choosing(compiledFor: (recipient: CampaignRecipient) => CompiledCampaign): CompiledCampaign {
  return {
    render: (recipient) => compiledFor(recipient).render(recipient),
    show: (recipient) => compiledFor(recipient).show(recipient),
    countHtmlBytes: (recipient) => compiledFor(recipient).countHtmlBytes(recipient),
  };
}

/** Renders for each recipient the variant that the ledger has for them. */
async function compileVariants(
  campaign: LoadedCampaign,
  links: PublicLinks,
): Promise<CompiledCampaign | null> {
  const variants = await Promise.all(
    allVariants(campaign).map((_campaign, variant) => compileVariant(campaign, variant, links)),
  );
  const usable = variants.filter((compiled) => compiled !== null);
  if (usable.length < variants.length) return null;
  return choosing(({ variant }) => usable[variant ?? 0]!);
}

/** Includes deleted campaigns, because their sent emails are still rendered from them. */
export async function loadCampaign(db: Db, teamId: number, id: string): Promise<LoadedCampaign | null> {
  const { rows } = await sql<LoadedCampaign>`
    select ${CAMPAIGN_COLUMNS}, (
      select coalesce(json_object_agg(d.id, json_build_object(
        'name', d.name, 'openTracking', d.open_tracking, 'clickTracking', d.click_tracking,
        'linkHost', case when d.tracking_status = 'ACTIVE' then d.tracking_subdomain || '.' || d.name end
      )), '{}')
      from domains d where d.team_id = c.team_id and (
        d.id = c.domain_id or d.id in (select (v ->> 'domainId')::integer from jsonb_array_elements(c.variants) as v)
      )
    ) as sending
    from campaigns c
    where c.team_id = ${teamId} and c.id = ${id}
  `.execute(db);
  return rows[0] ?? null;
}

interface FoundRecipient {
  recipient: CampaignRecipient;
  reason: SkipReason | null;
}

/** This is a separate statement, so that the claim stays cheap for email that does not belong to a campaign. */
async function readRecipients(db: Db, deliveries: RecipientKey[]): Promise<Map<string, FoundRecipient>> {
  const ofCampaign = topicCondition(sql<number>`c.team_id`, sql<string>`p.topic_id`, 'c');
  const isInTopic = sql<boolean>`(p.topic_id is null or ${ofCampaign})`;
  const { rows } = await sql<
    Omit<CampaignRecipient, 'address'> & {
      email: Row<'email_recipients'>['address'];
      reason: SkipReason | null;
    }
  >`
    select e.team_id as "teamId", e.id as "emailId", e.message_id as "messageId", e.created_at as date,
      e.contact_book_id as "contactBookId", e.contact_id as "contactId", r.address as email,
      ${TAGGED_COLUMNS},
      case when p.variants is not null then (
        select l.variant from campaign_recipients l
        where l.team_id = e.team_id and l.campaign_id = e.campaign_id and l.address_key = r.address_key
      ) end as variant,
      ${skipReason(isInTopic)} as reason
    from unnest(
      ${toNumberArray(deliveries, ({ teamId }) => teamId)}::integer[], ${deliveries.map(({ emailId }) => emailId)}::uuid[]
    ) as k (team_id, email_id)
    join all_emails e on e.team_id = k.team_id and e.id = k.email_id
    join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    join campaigns p on p.team_id = e.team_id and p.id = e.campaign_id
    left join contacts c on c.team_id = e.team_id and c.contact_book_id = e.contact_book_id and c.id = e.contact_id
      and c.email_key = r.address_key and ${isInBook('c')}
    left join suppressions s on s.team_id = e.team_id and s.address_key = r.address_key
  `.execute(db);
  return new Map(
    rows.map(({ email, reason, ...rest }) => [
      rest.emailId,
      { reason, recipient: { ...rest, address: parseAddress(email)! } },
    ]),
  );
}

/** Renders one email of a campaign for display. Returns null when the contact was deleted. */
export async function showCampaignEmail(
  db: Db,
  links: PublicLinks,
  email: RecipientKey & { campaignId: string },
): Promise<{ subject: string; html: string; text: string } | null> {
  const found = (await readRecipients(db, [email])).get(email.emailId);
  const campaign = await loadCampaign(db, email.teamId, email.campaignId);
  if (!found || !campaign || found.reason === 'deleted') return null;
  const compiled = await compileVariant(campaign, found.recipient.variant, links);
  return compiled?.show(found.recipient) ?? null;
}

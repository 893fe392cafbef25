/**
 * What couriers ask about the letters of campaigns: which campaigns to leave alone, for whom a letter still is, and
 * its bytes. Campaigns are compiled once per process: their content cannot change after the first release.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { toArray, type Db } from '../../platform/database.ts';
import { topicCondition } from '../topics/contact-topics.ts';
import type { PublicLinks } from '../tracking/links.ts';
import { CAMPAIGN_COLUMNS, type CampaignRow } from './campaign-row.ts';
import {
  compileCampaign,
  type CompiledCampaign,
  type LetterRecipient,
  type SendingDomain,
} from './compile-campaign.ts';
import { skipLetters, type LetterKey } from './skip-letters.ts';
import { skipReason, type SkipReason } from './skip-reason.ts';
import { pause } from './states.ts';

const MAX_COMPILED = 20;
/** A relay that refuses everything must not burn a whole list. */
const MOST_FAILURES_IN_A_ROW = 100;

/** A claimed delivery of a campaign. */
interface CampaignParcel extends LetterKey {
  campaignId: string;
}

export interface CampaignLetters {
  /** Null when the letter of its campaign is compiled; otherwise it will be, or has failed, when this is over. */
  prepare(parcel: CampaignParcel): Promise<void> | null;
  /** Those that are still to go, with what they are rendered from; the others leave the queue, and the ledger says why. */
  address(parcels: CampaignParcel[]): Promise<Map<string, LetterRecipient>>;
  /** Null when it cannot be rendered; the campaign is paused then. */
  render(parcel: CampaignParcel, recipient: LetterRecipient): Promise<Buffer | null>;
  noteOutcome(parcel: CampaignParcel, outcome: 'delivered' | 'deferred' | 'bounced'): Promise<void>;
  pause(parcel: CampaignParcel, reason: string): Promise<void>;
}

export function createCampaignLetters(db: Db, links: PublicLinks): CampaignLetters {
  const compiled = new Map<string, Promise<CompiledCampaign | null>>();
  const settled = new WeakSet<Promise<unknown>>();
  const failures = new Map<string, number>();

  async function load({ teamId, campaignId }: CampaignParcel): Promise<CompiledCampaign | null> {
    const campaign = await loadCampaign(db, teamId, campaignId);
    return campaign && compileCampaign(campaign, campaign.sending, links);
  }

  function find(parcel: CampaignParcel): Promise<CompiledCampaign | null> {
    let found = compiled.get(parcel.campaignId);
    if (!found) {
      if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value!);
      found = load(parcel);
      compiled.set(parcel.campaignId, found);
      // What failed is tried anew; what the failure is shows when it is waited for.
      found.then(
        (campaign) => (campaign ? settled.add(found!) : compiled.delete(parcel.campaignId)),
        () => compiled.delete(parcel.campaignId),
      );
    }
    return found;
  }

  function prepare(parcel: CampaignParcel): Promise<void> | null {
    const found = find(parcel);
    if (settled.has(found)) return null;
    return found.then(ignore, ignore);
  }

  async function pauseWith({ teamId, campaignId }: CampaignParcel, reason: string): Promise<void> {
    await pause(db, teamId, campaignId, reason);
  }

  return {
    prepare,
    pause: pauseWith,

    async address(parcels) {
      const found = await readRecipients(db, parcels);
      const left = parcels.flatMap((parcel) => {
        const reason = found.get(parcel.emailId)?.reason ?? (found.has(parcel.emailId) ? null : 'deleted');
        return reason ? [{ ...parcel, reason }] : [];
      });
      if (left.length > 0) await skipLetters(db, left);
      const going = new Map<string, LetterRecipient>();
      for (const [emailId, { reason, recipient }] of found) if (!reason) going.set(emailId, recipient);
      return going;
    },

    async render(parcel, recipient) {
      let letter: Buffer | null = null;
      let why = 'Its content cannot be rendered.';
      try {
        letter = (await find(parcel))?.render(recipient) ?? null;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // The database's trouble is not the campaign's.
        if ('code' in error) throw error;
        why = `Its content cannot be rendered: ${error.message}`;
      }
      if (!letter) await pauseWith(parcel, why);
      return letter;
    },

    async noteOutcome(parcel, outcome) {
      if (outcome === 'deferred') return;
      const inARow = outcome === 'bounced' ? (failures.get(parcel.campaignId) ?? 0) + 1 : 0;
      if (inARow === 0) failures.delete(parcel.campaignId);
      else failures.set(parcel.campaignId, inARow);
      if (inARow < MOST_FAILURES_IN_A_ROW) return;
      failures.delete(parcel.campaignId);
      await pauseWith(
        parcel,
        `${MOST_FAILURES_IN_A_ROW} letters in a row were refused. See their events for what the servers said.`,
      );
    },
  };
}

function ignore(): void {}

/** Also one that was deleted: what was sent of it is still rendered from it. */
export async function loadCampaign(
  db: Db,
  teamId: number,
  id: string,
): Promise<(CampaignRow & { sending: SendingDomain }) | null> {
  const { rows } = await sql<CampaignRow & { sending: SendingDomain }>`
    select ${CAMPAIGN_COLUMNS}, json_build_object(
      'name', coalesce(d.name, ''), 'openTracking', coalesce(d.open_tracking, false),
      'clickTracking', coalesce(d.click_tracking, false)
    ) as sending
    from campaigns c left join domains d on d.team_id = c.team_id and d.id = c.domain_id
    where c.team_id = ${teamId} and c.id = ${id}
  `.execute(db);
  return rows[0] ?? null;
}

interface FoundRecipient {
  recipient: LetterRecipient;
  reason: SkipReason | null;
}

/** In a statement of its own: beside the claim it would weigh on mail that has nothing to do with campaigns. */
async function readRecipients(db: Db, parcels: LetterKey[]): Promise<Map<string, FoundRecipient>> {
  const ofCampaign = topicCondition(sql<number>`c.team_id`, sql<string>`p.topic_id`, 'c');
  const isInTopic = sql<boolean>`(p.topic_id is null or ${ofCampaign})`;
  const { rows } = await sql<Omit<LetterRecipient, 'address'> & { email: string; reason: SkipReason | null }>`
    select e.team_id as "teamId", e.id as "emailId", e.message_id as "messageId", e.created_at as date,
      e.contact_book_id as "contactBookId", e.contact_id as "contactId", r.address as email,
      c.first_name as "firstName", c.last_name as "lastName", coalesce(c.properties, '{}') as properties,
      ${skipReason(isInTopic)} as reason
    from unnest(
      ${toArray(parcels, ({ teamId }) => teamId)}::integer[], ${toArray(parcels, ({ emailId }) => emailId)}::uuid[]
    ) as k (team_id, email_id)
    join emails e on e.team_id = k.team_id and e.id = k.email_id
    join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    join campaigns p on p.team_id = e.team_id and p.id = e.campaign_id
    left join contacts c on c.team_id = e.team_id and c.contact_book_id = e.contact_book_id and c.id = e.contact_id
      and c.email_key = r.address_key
    left join suppressions s on s.team_id = e.team_id and s.address_key = r.address_key
  `.execute(db);
  return new Map(
    rows.map(({ email, reason, ...rest }) => [
      rest.emailId,
      { reason, recipient: { ...rest, address: parseAddress(email)! } },
    ]),
  );
}

/** What an email of a campaign says, for whoever looks at it later; null when its contact is gone. */
export async function showCampaignEmail(
  db: Db,
  links: PublicLinks,
  email: LetterKey & { campaignId: string },
): Promise<{ subject: string; html: string; text: string } | null> {
  const found = (await readRecipients(db, [email])).get(email.emailId);
  const campaign = await loadCampaign(db, email.teamId, email.campaignId);
  if (!found || !campaign || found.reason === 'deleted') return null;
  const compiled = await compileCampaign(campaign, campaign.sending, links);
  return compiled?.show(found.recipient) ?? null;
}

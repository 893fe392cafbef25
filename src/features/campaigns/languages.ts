/** The languages of the recipients of a campaign with translations. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { contactField } from '../audience/own-fields/contact-tags.ts';
import type { TaggedContact } from '../audience/own-fields/own-columns.ts';
import { propertyText } from '../audience/segments/segment-condition.ts';
import { chooseLanguage, languagesOf, localeToTag } from '../content/translations.ts';
import { COUNT_SENT, JOIN_EMAIL, joinResult } from './best-hour.ts';
import type { CampaignRow } from './campaign-row.ts';
import type { CampaignReport } from './report.schema.ts';

/** The property of a contact with the BCP 47 tag of its language. */
const LANGUAGE_PROPERTY = 'language';
/** More than a book has. A property may hold any text. */
const MAX_LANGUAGES = 1_000;

const readLanguage = contactField<TaggedContact>(LANGUAGE_PROPERTY, () => '');

/** Null for the default content. */
export function languageFor(languages: ReadonlySet<string>, contact: TaggedContact): string | null {
  return chooseLanguage(languages, readLanguage(contact));
}

/** For previews and tests. Without a language the recipient keeps its own. */
export function withLanguage<Recipient extends TaggedContact>(
  recipient: Recipient,
  language: string | null | undefined,
): Recipient {
  if (!language) return recipient;
  return { ...recipient, properties: { ...recipient.properties, [LANGUAGE_PROPERTY]: language } };
}

type Translated = Pick<CampaignRow, 'teamId' | 'id' | 'contactBookIds' | 'translations'>;

/** Returns the languages of subscribed contacts that have no translation, the most frequent first. Reads all contacts. */
export async function findUntranslated(db: Db, campaign: Translated): Promise<string[]> {
  if (!campaign.translations) return [];
  const languages = languagesOf(campaign.translations);
  const missing = new Map<string, number>();
  for (const book of campaign.contactBookIds) {
    const { rows } = await sql<{ language: string; contacts: number }>`
      select ${propertyText({ teamId: campaign.teamId, bookKey: book }, sql`c.properties`, LANGUAGE_PROPERTY)} as language,
        count(*) as contacts
      from contacts c
      where c.team_id = ${campaign.teamId} and c.contact_book_id = ${book} and c.subscription = 'subscribed'
      group by 1 order by 2 desc limit ${MAX_LANGUAGES}
    `.execute(db);
    for (const { language, contacts } of rows) {
      const tag = localeToTag(language);
      if (!tag || chooseLanguage(languages, tag) !== null) continue;
      missing.set(tag, (missing.get(tag) ?? 0) + contacts);
    }
  }
  return [...missing].toSorted(([, one], [, other]) => other - one).map(([tag]) => tag);
}

type Counts = Omit<CampaignReport['languages'][number], 'language'>;

/**
 * Counts by the language that each recipient has now. Reads the ledger, so it takes longer for more recipients, but only
 * for campaigns with translations. Recipients whose contact was deleted count for the default content.
 */
export async function reportLanguages(db: Db, campaign: Translated): Promise<CampaignReport['languages']> {
  if (!campaign.translations) return [];
  const { teamId, id } = campaign;
  const languages = languagesOf(campaign.translations);
  const counts = new Map<string | null, Counts>();
  for (const book of campaign.contactBookIds) {
    const { rows } = await sql<Counts & { language: string | null }>`
      select ${propertyText({ teamId, bookKey: book }, sql`c.properties`, LANGUAGE_PROPERTY)} as language,
        ${COUNT_SENT} as sent, count(o.address_key) as opened, count(k.address_key) as clicked,
        count(u.address_key) as unsubscribed
      from campaign_recipients r ${JOIN_EMAIL}
      left join contacts c on c.team_id = r.team_id and c.contact_book_id = r.contact_book_id and c.id = r.contact_id
      ${joinResult('o', 'opened')} ${joinResult('k', 'clicked')} ${joinResult('u', 'unsubscribed')}
      where r.team_id = ${teamId} and r.campaign_id = ${id} and r.contact_book_id = ${book} and r.state <> 'skipped'
      group by 1
    `.execute(db);
    for (const { language, ...counted } of rows) {
      const chosen = chooseLanguage(languages, language);
      const sum = counts.get(chosen) ?? { sent: 0, opened: 0, clicked: 0, unsubscribed: 0 };
      for (const name of ['sent', 'opened', 'clicked', 'unsubscribed'] as const) sum[name] += counted[name];
      counts.set(chosen, sum);
    }
  }
  return [...counts].map(([language, sums]) => ({ language, ...sums })).toSorted((a, b) => b.sent - a.sent);
}

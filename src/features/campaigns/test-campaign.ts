/** Sends a campaign to a few test addresses. Test emails are not part of the ledger or the counts. */
import { sql } from 'kysely';
import { isInBook } from '../audience/contact-books/deleted-books.ts';
import { TAGGED_COLUMNS, type TaggedContact } from '../audience/own-fields/own-columns.ts';
import { eachOwnField } from '../audience/own-fields/own-fields.ts';
import { parseMailbox, type Address } from '../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import type { Translations } from '../content/translations.ts';
import type { MailSender } from '../sending/emails/submission.ts';
import { submit } from '../sending/emails/submit.ts';
import type { PublicLinks } from '../content/links/links.ts';
import { findCampaign, type CampaignCaller, type CampaignRow } from './campaign-row.ts';
import type { CampaignRecipient } from './compile-campaign.ts';
import { compileVariant, loadCampaign } from './campaign-renderer.ts';
import { withLanguage } from './languages.ts';
import { withVariant } from './variants.ts';

export async function testCampaign(
  db: Db,
  caller: CampaignCaller & MailSender,
  campaignId: string,
  {
    to: addresses,
    variant = null,
    language,
  }: { to: Address[]; variant?: number | null | undefined; language?: string | null | undefined },
  links: PublicLinks,
): Promise<string[]> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const campaign = (await loadCampaign(db, teamId, id))!;
  const varied = withVariant(campaign, variant ?? 0);
  const untracked = {
    ...varied,
    variants: null,
    subject: `[Test] ${varied.subject}`,
    translations: markTests(campaign.translations),
    trackOpens: false,
    trackClicks: false,
  };
  const compiled = await compileVariant(untracked, null, links);
  if (!compiled) throw badRequest('The content of this campaign cannot be rendered.');
  return inTransaction(db, async (trx) => {
    const emailIds: string[] = [];
    for (const address of addresses) {
      const found = await findRecipient(trx, campaign, parseMailbox(varied.sender)!.domain, address);
      const recipient = withLanguage(found, language);
      const content = { kind: 'raw' as const, raw: compiled.render(recipient), recipients: [address] };
      emailIds.push(await submit(trx, { source: 'api', caller, content }));
    }
    return emailIds;
  });
}

function markTests(translations: Translations | null): Translations | null {
  if (!translations) return null;
  return Object.fromEntries(
    Object.entries(translations).map(([language, each]) => [
      language,
      { ...each, subject: `[Test] ${each.subject}` },
    ]),
  );
}

/** Uses the contact with this address, if there is one. Otherwise all contact fields are empty. */
export async function findRecipient(
  db: Db,
  { teamId, contactBookIds }: CampaignRow,
  domain: string,
  address: Address,
): Promise<CampaignRecipient> {
  const { rows } = await sql<TaggedContact & Pick<CampaignRecipient, 'contactBookId' | 'contactId'>>`
    select c.contact_book_id as "contactBookId", c.id as "contactId", ${TAGGED_COLUMNS}
    from contacts c
    where team_id = ${teamId} and contact_book_id = any(${contactBookIds}::uuid[]) and email_key = ${address.key} and ${isInBook('c')}
    order by array_position(${contactBookIds}::uuid[], contact_book_id) limit 1
  `.execute(db);
  const emailId = newUuid();
  return {
    teamId,
    emailId,
    messageId: `<${encodeId('eml', emailId)}@${domain}>`,
    date: new Date(),
    address,
    variant: null,
    // No contact has this ID, so the unsubscribe link works without unsubscribing anyone.
    ...(rows[0] ?? {
      contactBookId: contactBookIds[0] ?? newUuid(),
      contactId: newUuid(),
      ...eachOwnField(() => null),
      properties: {},
    }),
  };
}

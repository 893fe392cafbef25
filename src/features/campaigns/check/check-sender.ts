/**
 * Checks whether email from the sender passes DMARC (RFC 7489 section 3.1): it must be signed for the domain of its
 * From address, or its return path must belong to that domain. Both come from the last check of the domain's DNS
 * records.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import type { CampaignRow } from '../campaign-row.ts';
import type { CampaignCheck, CampaignFinding } from './check.schema.ts';

export async function checkSender(
  db: Db,
  { teamId, domainId }: Pick<CampaignRow, 'teamId' | 'domainId'>,
  { dkimSign }: Pick<Facts, 'dkimSign'>,
): Promise<{ sender: CampaignCheck['sender']; findings: CampaignFinding[] }> {
  const { rows } = await sql<{
    name: Row<'domains'>['name'];
    dkim: string | null;
    spf: string | null;
    dmarc: string | null;
  }>`
    select name, record_status ->> 'dkim' as dkim, record_status ->> 'spf' as spf, record_status ->> 'dmarc' as dmarc
    from domains where team_id = ${teamId} and id = ${domainId}
  `.execute(db);
  const [domain] = rows;
  const sender = {
    domain: domain?.name ?? '',
    dkimAligned: dkimSign && domain?.dkim === 'SUCCESS',
    spfAligned: domain?.spf === 'SUCCESS',
    dmarcRecord: domain?.dmarc === 'SUCCESS',
  };
  // A deleted domain already blocks the campaign.
  if (!domain) return { sender, findings: [] };
  const about = { level: 'warning' as const, variant: null, places: [domain.name] };
  const findings: CampaignFinding[] = [];
  if (!sender.dkimAligned && !sender.spfAligned) {
    findings.push({
      ...about,
      code: 'not_aligned',
      message: dkimSign
        ? `Email from ${domain.name} does not pass DMARC, so many providers will treat it as spam. Check the DKIM and SPF records of the domain.`
        : `Email from ${domain.name} passes DMARC only if the relay signs it for this domain, because this server does not sign email.`,
    });
  }
  if (!sender.dmarcRecord) {
    findings.push({
      ...about,
      code: 'no_dmarc_record',
      message: `${domain.name} has no DMARC record. Gmail and Yahoo require one from senders of newsletters. Add the record that the page of the domain shows.`,
    });
  }
  return { sender, findings };
}

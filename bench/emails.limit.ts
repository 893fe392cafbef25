/** The limit program's route for accepting email: it only inserts the same rows. */
import { newUuid } from '../src/platform/ids.ts';
import type { LimitRoute } from './limit-route.ts';

interface EmailBody {
  from: string;
  to: string;
  subject: string;
  text: string;
}

/** One statement for all tables, as in Posthorn. It is the least that any server must store to send an email. */
const BARE_INSERT = `
  with email as (
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id)
    values ($1, $2, $3, 'api', 'QUEUED', $4, array[$5], '{}', '{}', '{}', $6, $7)
  ), content as (
    insert into email_contents (team_id, email_id, raw, is_text) values ($1, $2, $8, true)
  ), recipient as (
    insert into email_recipients (team_id, email_id, no, address, address_key, status)
    values ($1, $2, 0, $5, $5, 'QUEUED')
  ), event as (
    insert into events (team_id, subject_id, id, type) values ($1, $2, $9, 'email.queued')
  )
  insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority)
  values ($1, $2, 0, $3, $5, split_part($5, '@', 2), 0)`;

export const emailLimits: Record<string, LimitRoute> = {
  insertEmail: {
    statement: async () => BARE_INSERT,
    parameters(teamId, [domainId], body) {
      const { from, to, subject, text } = body as EmailBody;
      const id = newUuid();
      const raw = `From: ${from}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
      return [
        teamId,
        id,
        Number(domainId),
        from,
        to,
        subject,
        `<${id}@bench.test>`,
        Buffer.from(raw),
        newUuid(),
      ];
    },
    answer: (_rows, count) => ({ count }),
  },
};

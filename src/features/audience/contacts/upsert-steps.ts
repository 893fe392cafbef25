/**
 * The steps of the statement in upsert-contacts.ts. Each is a named part of its `with` and reads the parts before it.
 * Values that are the same for all rows are columns of `book` instead of parameters, so that PostgreSQL keeps one plan
 * for all requests.
 */
import { Fragment } from '../../../platform/database/database.ts';
import { ASKED_RECENTLY } from './confirmations.ts';
import { eachColumn, OWN_COLUMNS } from '../own-fields/own-columns.ts';
import { CONTACT_NOTICE } from './present-contact.ts';
import { SLOT } from '../../sending/counters/count-columns.ts';

/** Small enough that a worker can finish its job during shutdown. */
const CONFIRMATIONS_PER_JOB = 200;

/** The consent that an import records for a row. A suppressed address has none. */
const CONSENT = `case when book.consent is not null and input.subscribed and not exists (
    select from suppressions s where s.team_id = book.team_id and s.address_key = input.email_key
  ) then book.consent end`;

/** A file that lists someone as unconfirmed says nothing about a subscription that exists here. */
const LEAVES_NOW = `excluded.subscription = 'unsubscribed' and c.subscription <> 'unsubscribed'
  and excluded.unsubscribe_reason <> 'UNCONFIRMED'`;
const CONSENTS_NOW = `excluded.consent ->> 'source' = 'import' and c.subscription = 'pending'`;

/**
 * Adds new contacts and updates known ones, which keep names that were not sent and an ended subscription. `types` are
 * the events. `awaits_mail` is true if a contact has to confirm and got no email for that in the last minutes.
 */
export const STORE_CONTACTS = new Fragment(`
  changed as (
    insert into contacts as c (
      team_id, contact_book_id, id, email, email_key, ${OWN_COLUMNS}, properties,
      subscription, unsubscribe_reason, subscription_changed_by, consent, source, source_id
    )
    select book.team_id, book.id, input.id, input.email, input.email_key,
      ${eachColumn((column) => `input.${column}`)},
      spell_properties(input.properties, book.needed_spellings),
      case when not input.subscribed then 'unsubscribed'
        when book.double_opt_in_enabled and given.consent is null then 'pending'
        else 'subscribed' end,
      case when not input.subscribed then coalesce(input.unsubscribe_reason, 'UNSUBSCRIBED') end,
      book.changed_by, coalesce(given.consent, book.sign_up), book.source, book.source_id
    from book, input cross join lateral (select ${CONSENT} as consent) given
    on conflict (team_id, contact_book_id, email_key) do update set
      ${eachColumn((column) => `${column} = coalesce(excluded.${column}, c.${column})`)},
      properties = merge_properties(c.properties, excluded.properties, (select spellings from book)),
      subscription = case when ${LEAVES_NOW} then 'unsubscribed' when ${CONSENTS_NOW} then 'subscribed'
        else c.subscription end,
      consent = case when ${CONSENTS_NOW} then excluded.consent else c.consent end,
      unsubscribe_reason = case when ${LEAVES_NOW} then excluded.unsubscribe_reason else c.unsubscribe_reason end,
      subscription_changed_at = case when ${LEAVES_NOW} or ${CONSENTS_NOW} then now()
        else c.subscription_changed_at end,
      subscription_changed_by = case when ${LEAVES_NOW} or ${CONSENTS_NOW} then excluded.subscription_changed_by
        else c.subscription_changed_by end,
      updated_at = now()
    returning c.team_id, c.contact_book_id, c.id, c.email_key, (c.xmax = 0) as created,
      (select asks from book) and c.subscription = 'pending' and not ${ASKED_RECENTLY.text} as awaits_mail,
      case when c.xmax = 0 then array['contact.created']
        when c.subscription = 'unsubscribed' and c.subscription_changed_at = now()
          then array['contact.updated', 'contact.unsubscribed']
        else array['contact.updated'] end as types,
      ${CONTACT_NOTICE.text} as notice
  )`);

export const COUNT_CONTACTS = new Fragment(`
  counted as (
    insert into contact_book_counts as n (team_id, contact_book_id, slot, contacts)
    select team_id, contact_book_id, ${SLOT}, count(*)
    from changed where created group by team_id, contact_book_id
    on conflict (team_id, contact_book_id, slot) do update set contacts = n.contacts + excluded.contacts
  )`);

/**
 * Adds one job per CONFIRMATIONS_PER_JOB contacts. The final select of the statement must read `asked`, or it would not
 * run.
 */
export const ASK_TO_CONFIRM = new Fragment(`
  asked as materialized (
    select add_job(
      case when is_few then 'confirm-sign-ups' else 'send-confirmations' end,
      json_build_object('teamId', team_id, 'contactBookId', contact_book_id, 'contactIds', json_agg(id),
        'importId', import_id),
      queue_name => case when not is_few then queue end,
      most_attempts => max_attempts,
      job_priority => priority
    )
    from (
      select c.team_id, c.contact_book_id, c.id, book.import_id, book.queue, book.max_attempts, book.priority,
        row_number() over () / ${CONFIRMATIONS_PER_JOB} as part,
        coalesce(count(*) over () <= book.most_sign_ups, true) as is_few
      from changed c, book where c.awaits_mail
    ) awaiting
    group by team_id, contact_book_id, import_id, queue, max_attempts, priority, part, is_few
  )`);

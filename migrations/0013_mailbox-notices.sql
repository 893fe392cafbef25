-- What becomes of a mailbox's own mail is told to webhooks too: once when it has left, and for each one that it did
-- not reach.

create function announce_mailbox_mail() returns trigger language plpgsql as $$
begin
  if exists (
    select from happened h join webhooks w using (team_id)
    where h.status in ('SENT', 'BOUNCED') and w.status <> 'disabled'
  ) then
    with notice as materialized (
      select h.team_id, make_uuid() as event_id, h.created_at as happened_at,
        case h.status when 'SENT' then 'mailbox.message.sent' else 'mailbox.message.bounced' end as type,
        jsonb_build_object('mailboxId', 'mbx ' || m.mailbox_id, 'messageId', 'msg ' || m.id,
          'threadId', 'thr ' || m.thread_id, 'emailId', 'eml ' || h.email_id) as ids,
        jsonb_build_object('from', e.sender, 'to', to_jsonb(e.to_addresses), 'subject', e.subject,
          'recipient', h.recipient) as data
      from happened h
      join emails e on e.team_id = h.team_id and e.id = h.email_id and e.source = 'mailbox'
      join messages m on m.team_id = h.team_id and m.email_id = h.email_id
      where h.status = 'BOUNCED' or h.status = 'SENT' and not exists (
        select from email_events before
        where before.team_id = h.team_id and before.email_id = h.email_id and before.status = 'SENT' and before.id < h.id
      )
    )
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
    select n.team_id, w.id, make_uuid(), n.event_id, n.type, n.ids, n.data, n.happened_at
    from notice n join webhooks w on w.team_id = n.team_id and w.status <> 'disabled' and webhook_wants(w.events, n.type)
    order by n.event_id, w.id;
  end if;
  return null;
end
$$;
create trigger announce_mailbox_mail after insert on email_events
  referencing new table as happened for each statement execute function announce_mailbox_mail();

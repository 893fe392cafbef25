-- What an import into a book with double opt-in does with its rows, and the record of a consent that was given
-- elsewhere. `confirmations_waiting` counts the people of the import whose confirmation has not been sent yet.
alter table contact_imports
  add column consent text not null default 'none' check (consent in ('confirmed', 'ask', 'none')),
  add column consent_note text,
  add column confirmations_waiting bigint not null default 0,
  drop constraint contact_imports_status_check,
  add constraint contact_imports_status_check
    check (status in ('UPLOADING', 'PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'));

-- The object as the API shows it: {source, importId, note, by, at}.
alter table contacts add column consent jsonb;

create or replace function contact_notice(contact contacts) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'email', contact.email,
    'firstName', nullif(contact.first_name, ''),
    'lastName', nullif(contact.last_name, ''),
    'properties', jsonb_strip_nulls(contact.properties),
    'subscribed', contact.subscription = 'subscribed',
    'unsubscribeReason', contact.unsubscribe_reason,
    'consent', contact.consent,
    'createdAt', rfc3339(contact.created_at),
    'updatedAt', rfc3339(contact.updated_at)
  )
$$;

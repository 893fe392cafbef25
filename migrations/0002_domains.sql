-- Sending domains: their DKIM key, the records they publish, and how their verification stands.

alter table domains
  add column region text not null default 'default',
  add column dkim_selector text not null default 'ph1',
  add column public_key text not null default '',
  -- PKCS #8, sealed under the instance secret.
  add column private_key bytea not null default '',
  add column click_tracking boolean not null default false,
  add column open_tracking boolean not null default false,
  -- By the role of the record: dkim, bounceMx, spf, dmarc, inboundMx.
  add column record_status jsonb not null default '{}',
  add column is_verifying boolean not null default false,
  add column error_message text,
  add column verification_error text,
  add column last_checked_at timestamptz,
  -- Since when the records are looked for, or missed: 72 hours later the answer is final.
  add column checking_since timestamptz,
  add column checks integer not null default 0,
  -- From the first success until a failure that is final: this team may send as this name.
  add column held boolean not null default false;

alter table domains
  alter column public_key drop default,
  alter column private_key drop default;

-- Two teams may claim one name, only one can hold it.
create unique index domains_held on domains (name) where held;

-- A domain can have a new DKIM key whose record is not published yet, and an old one whose record must stay published.
alter table domains add column next_selector text;
alter table domains add column next_public_key text;
alter table domains add column next_private_key bytea;
alter table domains add column next_since timestamptz;
alter table domains add constraint domains_next_key_whole check (
  (next_selector is null) = (next_public_key is null)
  and (next_selector is null) = (next_private_key is null)
  and (next_selector is null) = (next_since is null)
);
alter table domains add column retired_selector text;
alter table domains add column retired_public_key text;
alter table domains add column retired_at timestamptz;
alter table domains add constraint domains_retired_key_whole check (
  (retired_selector is null) = (retired_public_key is null) and (retired_selector is null) = (retired_at is null)
);
comment on column domains.dkim_selector is 'The selector of the key that signs: ph1, ph2 and so on.';
comment on column domains.record_status is 'The status of each DNS record, by its role: dkim, nextDkim, retiredDkim, bounceMx, spf, dmarc, inboundMx.';
comment on column domains.next_selector is 'The selector of a new key. It signs from the moment that its record is found in DNS.';
comment on column domains.next_public_key is 'The public part of the new key, as it is published in DNS.';
comment on column domains.next_private_key is 'The private part of the new key as PKCS #8, encrypted.';
comment on column domains.next_since is 'When the new key was made.';
comment on column domains.retired_selector is 'The selector of the key that signed before. Its record must stay published for a week, for mail that is on its way.';
comment on column domains.retired_public_key is 'The public part of the key that signed before. Its private part is deleted.';
comment on column domains.retired_at is 'When the key stopped signing.';

-- Keys with scopes, bounds, networks, a maker, and a second secret while they are rotated.

alter table api_keys
  add column scopes text[],
  add column domain_ids integer[],
  add column contact_book_ids uuid[],
  add column allowed_ips text[],
  add column made_by_user uuid,
  add column made_by_key uuid,
  add column previous_hash bytea,
  add column previous_until timestamptz,
  drop constraint api_keys_permission_check,
  add constraint api_keys_permission_check check (permission in ('full', 'sending', 'scoped')),
  add constraint api_keys_scopes check ((permission = 'scoped') = (scopes is not null)),
  add constraint api_keys_previous_hash unique (previous_hash);

comment on column api_keys.permission is 'sending: may only send mail. scoped: may do what its scopes allow.';
comment on column api_keys.domain_id is 'The only domain that the key may use, with which it is deleted; null for all domains or for domain_ids.';
comment on column api_keys.domain_ids is 'Several domains that the key is limited to. A domain that was deleted matches nothing.';
comment on column api_keys.contact_book_ids is 'The contact books that the key is limited to.';
comment on column api_keys.allowed_ips is 'The addresses and networks that the key works from. Null: everywhere.';
comment on column api_keys.made_by_user is 'References users. The key never has more rights than this person has in the team.';
comment on column api_keys.made_by_key is 'References api_keys. The key that made this one, whose scopes and bounds this one cannot exceed.';
comment on column api_keys.previous_hash is 'SHA-256 of the secret before the last rotation, which works until previous_until.';
comment on column api_keys.scopes is 'What a scoped key may do (src/features/api/scopes.ts).';
comment on column api_keys.previous_until is 'Until when the secret before the last rotation works.';

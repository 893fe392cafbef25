alter table blobs add column by_agent boolean not null default false;
comment on column blobs.by_agent is
  'Whether an email app of an API key with a send policy has stored this message. It proves no correspondence.';

-- Earlier content of campaigns and templates, to look at and to restore.
create table content_versions (
  team_id integer not null,
  id uuid not null,
  campaign_id uuid,
  template_id uuid,
  subject text,
  preview_text text,
  html text,
  plain text,
  content text,
  saved_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint content_versions_pkey primary key (team_id, id),
  constraint content_versions_campaign_id_fkey foreign key (team_id, campaign_id)
    references campaigns (team_id, id) on delete cascade,
  constraint content_versions_template_id_fkey foreign key (team_id, template_id)
    references templates (team_id, id) on delete cascade,
  constraint content_versions_owner_check check (num_nonnulls(campaign_id, template_id) = 1)
);
create index content_versions_campaign_idx on content_versions (team_id, campaign_id, id) where campaign_id is not null;
create index content_versions_template_idx on content_versions (team_id, template_id, id) where template_id is not null;
comment on table content_versions is 'What a campaign or template contained before it was changed. Kept for 30 days, and at most 100 for each.';
comment on column content_versions.preview_text is 'Only of campaigns.';
comment on column content_versions.plain is 'The text part.';
comment on column content_versions.content is 'The JSON document of the email editor.';
comment on column content_versions.saved_at is 'When this content was saved.';
comment on column content_versions.created_at is 'When this content was replaced.';

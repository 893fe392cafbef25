-- Versions hold the variants of A/B tests and say who saved them. Campaigns and templates know when their content was
-- saved, apart from changes of other fields.
alter table content_versions add column variants jsonb;
alter table content_versions add column saved_by text;
comment on column content_versions.variants is 'The variants of the A/B test, as in campaigns. Empty: no test. Null: of a template, or not known because the version is older than this column.';
comment on column content_versions.saved_by is 'What saved this content: an API key (key_…), a user (user:usr_…) or a command. Null: not known.';

alter table campaigns add column content_saved_at timestamptz not null default now();
alter table campaigns add column content_saved_by text;
update campaigns set content_saved_at = updated_at;
comment on column campaigns.content_saved_at is 'When the subject, preview text, content or variants were last changed.';
comment on column campaigns.content_saved_by is 'What changed them, as in content_versions.saved_by.';

alter table templates add column content_saved_at timestamptz not null default now();
alter table templates add column content_saved_by text;
update templates set content_saved_at = updated_at;
comment on column templates.content_saved_at is 'When the subject or the content was last changed.';
comment on column templates.content_saved_by is 'What changed it, as in content_versions.saved_by.';

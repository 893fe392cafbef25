-- Content of campaigns and templates in further languages.
alter table campaigns add column translations jsonb;
comment on column campaigns.translations is 'Content in further languages, by BCP 47 tag: {"de": {"subject", "previewText", "html", "content"}}. Null: none.';
alter table templates add column translations jsonb;
comment on column templates.translations is 'Content in further languages, as in campaigns. html is rendered from content.';
alter table content_versions add column translations jsonb;
comment on column content_versions.translations is 'The translations at that time, {} for none. Null in versions from before this column existed.';

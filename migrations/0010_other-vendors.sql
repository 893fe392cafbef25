-- What applications of other vendors need: aliases of templates, a text part of campaigns, and payloads of webhooks.

alter table templates add column alias text;
comment on column templates.alias is 'A name that emails can use instead of the id.';
create unique index templates_alias_key on templates (team_id, alias) where alias is not null;

alter table campaigns add column plain text;
comment on column campaigns.plain is 'The plain text version; null when it is made from html.';

alter table webhooks add column format text not null default 'posthorn';
alter table webhooks add constraint webhooks_format_check check (format in ('posthorn', 'resend'));
comment on column webhooks.format is 'The shape of the payload: our own, or that of another vendor.';

-- Sign-up forms, and what a contact has asked for by one.

create table forms (
  team_id integer not null references teams (id),
  id uuid not null,
  contact_book_id uuid not null,
  name text not null,
  fields jsonb not null,
  topic_ids uuid[] not null,
  texts jsonb not null,
  colors jsonb not null,
  redirect_url text,
  language text check (language in ('en', 'de', 'fr', 'es', 'nl')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, contact_book_id) references contact_books (team_id, id) on delete cascade
);
-- The address of the public page has no team.
create unique index forms_id_key on forms (id);
create index forms_contact_book on forms (team_id, contact_book_id);
comment on table forms is 'Forms by which people sign up to a contact book, on a page of their own or in another site.';
comment on column forms.name is 'For the team; visitors do not see it.';
comment on column forms.fields is 'The fields in their order, as the API shows them: [{name, label, required}]. The first is the email address.';
comment on column forms.topic_ids is 'References topics without a foreign key. Topics that were deleted are ignored.';
comment on column forms.texts is 'Texts that differ from the defaults, by name.';
comment on column forms.colors is 'Colors that differ from the defaults, by name, as #rrggbb.';
comment on column forms.redirect_url is 'Where the visitor goes after signing up. Null: to the page that says thank you.';
comment on column forms.language is 'The language of the page. Null: the language that the visitor prefers.';

create table form_counts (
  team_id integer not null,
  form_id uuid not null,
  slot smallint not null,
  views bigint not null,
  signups bigint not null,
  confirmed bigint not null,
  primary key (team_id, form_id, slot),
  foreign key (team_id, form_id) references forms (team_id, id) on delete cascade
) with (fillfactor = 50);
comment on table form_counts is 'How often each form was seen and used. Split over slots by connection, so that writers do not wait for each other.';
comment on column form_counts.slot is 'The part of a split counter; readers add all of them up.';
comment on column form_counts.views is 'How often the page was shown.';
comment on column form_counts.signups is 'People who signed up and were not subscribed to all of it before.';
comment on column form_counts.confirmed is 'Those of them who are subscribed: at once, or by the link in the confirmation mail.';

alter table contacts add column sign_up_form_id uuid;
alter table contacts add column sign_up_at timestamptz;
comment on column contacts.sign_up_form_id is 'References forms without a foreign key: the form of a sign-up that has to be confirmed.';
comment on column contacts.sign_up_at is 'When the contact signed up by that form. The sign-up counts only if the subscription has not changed since.';
comment on column contacts.subscription_changed_by is 'What changed the subscription: an API key (key_…), a person (user:usr_…), a form (frm_…), or a link in a mail.';
comment on column contacts.consent is 'The record of consent that was given elsewhere, as the API shows it: {source, importId, note, by, at} or {source, formId, by, at}.';

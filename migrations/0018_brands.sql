-- What the letters of a team have in common: its logo, colours, font and footer.
create table brands (
  team_id integer primary key,
  logo_url text,
  background_color text,
  content_color text,
  text_color text,
  link_color text,
  button_color text,
  font_family text check (font_family in ('sans', 'system', 'verdana', 'trebuchet', 'serif', 'mono')),
  footer_text text,
  postal_address text,
  updated_at timestamptz not null default now(),
  constraint brands_team_id_fkey foreign key (team_id) references teams (id)
);
comment on table brands is 'The brand of a team, which new letters begin with. A team without a row has none.';
comment on column brands.logo_url is 'The URL of an image.';
comment on column brands.background_color is 'Around the letter. All colours are hexadecimal.';
comment on column brands.content_color is 'Behind the text of the letter.';
comment on column brands.text_color is 'Of the text.';
comment on column brands.link_color is 'Of links in the text.';
comment on column brands.button_color is 'Of the faces of buttons.';
comment on column brands.footer_text is 'For example why people receive the email.';
comment on column brands.font_family is 'A name of a font in the email editor.';
comment on column brands.postal_address is 'For the footer. It can have several lines.';

-- The language in which a person reads the web app.
alter table users add column language text check (length(language) between 2 and 35);
comment on column users.language is 'The language of the web app that the person chose, as a language tag such as de. Null: what the browser asks for.';

-- Content that is written once and sent by name. `content` is the editor's document that html was made of, where it
-- was; `variables` are the names that merge tags in subject, html and plain ask for.
create table templates (
  team_id integer not null references teams (id),
  id uuid not null,
  name text not null,
  subject text,
  html text,
  content text,
  plain text,
  variables text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);

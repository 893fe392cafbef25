-- The images of a team for its emails. Their bytes are blobs, so the same image is stored once.
create table media (
  team_id integer not null,
  id uuid not null,
  sha256 bytea not null,
  name text not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')),
  width integer not null,
  height integer not null,
  size integer not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint media_content_unique unique (team_id, sha256),
  constraint media_team_id_fkey foreign key (team_id) references teams (id)
);
comment on table media is 'The media library: images that a team uses in its emails. They are public to everybody who has their URL.';
comment on column media.sha256 is 'References blobs.';
comment on column media.content_type is 'Found by the bytes, not by what the client said.';
comment on column media.width is 'In pixels.';
comment on column media.height is 'In pixels.';
comment on column media.size is 'In bytes.';

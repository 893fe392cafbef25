-- Teams that move to another instance (posthorn team move).

alter table teams
  add column closed_at timestamptz,
  add column move_id uuid,
  add column moved_to text,
  add column arrived_from text;

comment on column teams.closed_at is
  'Since when nothing of this team may change, because it is moving. Its requests are refused, and its mail waits.';
comment on column teams.move_id is 'The move for which it is closed, the same in both instances; null if it has never moved.';
comment on column teams.moved_to is 'The URL of the instance where the team is now. A team that has moved is never opened again here.';
comment on column teams.arrived_from is 'The URL of the instance that the team came from; null if it was made here.';

create index teams_closed on teams (id) where closed_at is not null;

alter table messages add column spam jsonb;
comment on column messages.spam is 'What the spam filter said on arrival: {score, reasons, symbols}. Null where nothing was checked.';

create table spam_learning (
  team_id integer primary key references teams(id),
  spam integer not null default 0,
  ham integer not null default 0
);
comment on table spam_learning is 'How many messages the word filter of a team has learned.';
comment on column spam_learning.spam is 'Messages that were moved to spam.';
comment on column spam_learning.ham is 'Messages that were moved out of spam, or kept.';

create table spam_words (
  team_id integer not null references teams(id),
  word bigint not null,
  spam integer not null default 0,
  ham integer not null default 0,
  seen_on date not null default current_date,
  primary key (team_id, word)
);
comment on table spam_words is 'In how many learned messages of a team a word was. The oldest and rarest are dropped.';
comment on column spam_words.word is 'A hash of the word with a key from the instance secret, so that nobody can read the words of messages here.';
comment on column spam_words.spam is 'In how many messages that were moved to spam it was.';
comment on column spam_words.ham is 'In how many messages that were moved out of spam, or kept, it was.';
comment on column spam_words.seen_on is 'When it was last learned.';

create table spam_learned (
  team_id integer not null references teams(id),
  message_id uuid not null,
  kind text not null,
  learned_at timestamptz not null default now(),
  primary key (team_id, message_id),
  constraint spam_learned_kind_check check (kind in ('spam', 'ham'))
);
comment on table spam_learned is 'The messages that the word filter has learned, so that none counts twice and a change of mind is taken back.';
comment on column spam_learned.message_id is 'References messages.';
comment on column spam_learned.kind is 'As what it was learned. ham: no spam.';
comment on column spam_learned.learned_at is 'The latest change.';

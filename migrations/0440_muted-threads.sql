-- People mute conversations that concern them no more: new messages skip the inbox.

alter table threads add muted boolean not null default false;
comment on column threads.muted is 'Whether new messages of the conversation skip the inbox.';

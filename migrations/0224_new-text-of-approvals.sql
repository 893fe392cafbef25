-- People decide faster about an email when they see what it says that its conversation does not say already.

alter table approvals add column new_text text;
comment on column approvals.new_text is 'The beginning of what the email says, without what it quotes from its thread. Null: nothing is known, or the content was deleted.';

-- An automation starts runs of what happens from its activation on, even if the reader of the stream lags behind.
alter table automations add column opened_xid xid8;
comment on column automations.opened_xid is 'The transaction from which on events start runs: the last activation, or the publication of another trigger. Null: all events that are read do. A backup leaves it out, because the numbers of another server mean nothing here.';

-- How many OPENED and CLICKED events an email has: there is a limit, so that nobody can add them without end. Every
-- visit still counts in the columns beside it.
alter table email_visits add column event_count integer not null default 0;

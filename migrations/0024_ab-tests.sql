-- A/B tests of campaigns: variants of the content go to a part of the recipients, and the rest get the best one.
alter table campaigns add column variants jsonb;
alter table campaigns add column test_percent smallint not null default 20 check (test_percent between 1 and 100);
alter table campaigns add column decide_by text not null default 'opens' check (decide_by in ('opens', 'clicks', 'person'));
alter table campaigns add column decide_after_minutes integer not null default 240 check (decide_after_minutes >= 0);
alter table campaigns add column test_sent_at timestamptz;
alter table campaigns add column winner smallint;
alter table campaigns add column decided_at timestamptz;
comment on column campaigns.variants is 'An array of 2 to 4 objects with what differs: subject, sender, domainId, previewText, html and content. Null: no test.';
comment on column campaigns.test_percent is 'How many of 100 recipients are in the test.';
comment on column campaigns.decide_by is 'What decides which variant the rest get. person: somebody chooses.';
comment on column campaigns.decide_after_minutes is 'How long after test_sent_at the winner is chosen.';
comment on column campaigns.test_sent_at is 'When every recipient of the test had been tried or skipped. From then on released_to is about the rest.';
comment on column campaigns.winner is 'The position of the variant that the rest get, from 0.';
comment on column campaigns.decided_at is 'When the winner was chosen.';

alter table campaign_recipients add column variant smallint;
comment on column campaign_recipients.variant is 'The variant that this recipient gets. Recipients of the test have it from the start, the rest when they are released. Null without a test.';

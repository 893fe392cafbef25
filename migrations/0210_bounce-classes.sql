-- The class of each bounce (src/mail/bounces/failure-class.ts), beside the reason that reports have shown so far.
alter table campaign_results add column class text;
comment on column campaign_results.class is
  'Why it bounced, as one of the classes in src/mail/bounces/failure-class.ts. Null for bounces from before there were classes.';

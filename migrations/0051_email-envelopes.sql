-- What an SMTP client asked for with the parameters of MAIL and RCPT. Other emails have no row here.
create table email_envelopes (
  team_id integer not null,
  email_id uuid not null,
  recipient_no smallint not null,
  sender text not null,
  ret text check (ret in ('FULL', 'HDRS')),
  envid text,
  notify text,
  orcpt text,
  requires_tls boolean not null default false,
  is_report boolean not null default false,
  reported text[] not null default '{}',
  primary key (team_id, email_id, recipient_no)
);
comment on table email_envelopes is 'What an SMTP client asked for with the parameters of MAIL and RCPT, for each recipient: delivery reports (DSN, RFC 3461) and TLS on the whole way (REQUIRETLS, RFC 8689). Also marks emails that are delivery reports. Other emails have no row.';
comment on column email_envelopes.email_id is 'References emails.';
comment on column email_envelopes.recipient_no is 'References email_recipients, by its position in the email.';
comment on column email_envelopes.sender is 'The address of MAIL FROM, which gets the delivery reports. Empty for the null sender, which gets none.';
comment on column email_envelopes.ret is 'How much of the message a report about a failure returns: all of it, or the headers. Null if the client did not say.';
comment on column email_envelopes.envid is 'The envelope ID of the client, which reports repeat.';
comment on column email_envelopes.notify is 'NEVER, or some of SUCCESS, FAILURE and DELAY, with commas. Null if the client did not say; then nobody is notified.';
comment on column email_envelopes.orcpt is 'The original recipient of the client, such as rfc822;ada@example.org, which reports repeat.';
comment on column email_envelopes.requires_tls is 'The message is sent only with verified TLS, to servers that do the same.';
comment on column email_envelopes.is_report is 'The email is a delivery report. It is sent with the null return path, so that nobody reports about it.';
comment on column email_envelopes.reported is 'The actions of RFC 3464 that the sender has got a report about. Each is reported once.';

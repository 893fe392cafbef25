-- Webhooks can have the payloads of Mailgun, Postmark and SendGrid.

alter table webhooks drop constraint webhooks_format_check;
alter table webhooks add constraint webhooks_format_check
  check (format in ('posthorn', 'resend', 'mailgun', 'postmark', 'sendgrid'));

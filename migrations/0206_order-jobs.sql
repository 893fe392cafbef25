-- The jobs of one host run one at a time.
alter table host_certificates drop column ordering_until;
-- No query used it.
drop index host_certificates_renew_at;

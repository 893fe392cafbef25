create index thread_snoozes_until on thread_snoozes (until) where wake <> 'reply_only';

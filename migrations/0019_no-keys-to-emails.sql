-- Content, recipients and visits are written with their email or after it was found, and the only emails that are ever
-- deleted (letters of a campaign that never left) take their recipients along by name. A foreign key would look that up
-- once more for every row, and lock the email for it.
alter table email_contents drop constraint email_contents_team_id_email_id_fkey;
alter table email_recipients drop constraint email_recipients_team_id_email_id_fkey;
alter table email_visits drop constraint email_visits_team_id_email_id_fkey;

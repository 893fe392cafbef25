-- Contacts by the beginning of their name, and of their last name alone, for who types a recipient: however many
-- contacts a team has, in however many books. Contacts without a name are in neither.
create index contacts_name on contacts
  (team_id, (lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) collate "C"))
  where first_name is not null or last_name is not null;
create index contacts_last_name on contacts (team_id, (lower(last_name) collate "C"))
  where first_name is not null and last_name is not null;

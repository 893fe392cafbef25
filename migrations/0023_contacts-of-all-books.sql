-- Lists and searches the contacts of all books of a team, newest first.
create index contacts_of_team on contacts (team_id, id);

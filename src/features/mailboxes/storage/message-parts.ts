import { sql, type RawBuilder } from 'kysely';

/**
 * Steps that follow `deleted`, the deleted messages with id and raw_sha256, and delete everything that belongs to them.
 * Blobs are only marked as unused, because other messages may share them.
 */
export function deleteParts(teamId: number): RawBuilder<unknown> {
  return sql`references_deleted as (
      delete from message_references r using deleted where r.team_id = ${teamId} and r.message_id = deleted.id
    ), words_deleted as (
      delete from message_words w using deleted where w.team_id = ${teamId} and w.message_id = deleted.id
    ), structures as (
      delete from message_structures s using deleted where s.team_id = ${teamId} and s.message_id = deleted.id
    ), files as (
      delete from message_attachments a using deleted where a.team_id = ${teamId} and a.message_id = deleted.id
      returning a.sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (
        select sha256 from files union select raw_sha256 from deleted where raw_sha256 is not null)
    )`;
}

/** Counts the contacts that would get a campaign if it started now, and the others by the reason why they would not. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { topicCondition } from '../../audience/segments/topic-condition.ts';
import { audienceConditions, type Targets } from '../audience.ts';
import type { CampaignAudience, LeftOut } from './check.schema.ts';

interface CountRow {
  book: Row<'contacts'>['contact_book_id'];
  reason: LeftOut | null;
  contacts: number;
  inSegment: number;
  inTopic: number;
}

/** Reads all contacts of the books once. */
export async function countAudience(db: Db, campaign: Targets): Promise<CampaignAudience> {
  const rows = await countByReason(db, campaign);
  const names = await readNames(db, campaign);
  const reasons = [...new Set(rows.flatMap(({ reason }) => reason ?? []))];
  return {
    contacts: sum(rows, 'contacts'),
    recipients: sum(
      rows.filter(({ reason }) => reason === null),
      'contacts',
    ),
    leftOut: reasons
      .map((reason) => ({
        reason,
        count: sum(
          rows.filter((row) => row.reason === reason),
          'contacts',
        ),
      }))
      .toSorted((one, other) => other.count - one.count),
    books: names.books.map(({ id, name }) => {
      const ofBook = rows.filter(({ book }) => book === id);
      const getIt = ofBook.filter(({ reason }) => reason === null);
      return {
        id: encodeId('cbk', id),
        name,
        contacts: sum(ofBook, 'contacts'),
        recipients: sum(getIt, 'contacts'),
      };
    }),
    segment:
      campaign.segmentId && names.segment !== null
        ? { id: encodeId('seg', campaign.segmentId), name: names.segment, contacts: sum(rows, 'inSegment') }
        : null,
    topic:
      campaign.topicId && names.topic !== null
        ? { id: encodeId('top', campaign.topicId), name: names.topic, contacts: sum(rows, 'inTopic') }
        : null,
  };
}

function sum(rows: CountRow[], field: 'contacts' | 'inSegment' | 'inTopic'): number {
  return rows.reduce((total, row) => total + row[field], 0);
}

async function countByReason(db: Db, campaign: Targets): Promise<CountRow[]> {
  const { teamId, contactBookIds, topicId } = campaign;
  const conditions = await audienceConditions(db, campaign, 'all');
  const inSegment = conditions.find(({ reason }) => reason === 'not_in_segment')?.condition;
  const reason = sql<LeftOut | null>`case
    when c.subscription = 'pending' then 'unconfirmed'
    ${sql.join(
      conditions.map((each) => sql`when (${each.condition}) is not true then ${each.reason}`),
      sql` `,
    )}
  end`;
  const { rows } = await sql<CountRow>`
    select book, reason, count(*) as contacts,
      count(*) filter (where "inSegment") as "inSegment", count(*) filter (where "inTopic") as "inTopic"
    from (
      select book, "inSegment", "inTopic", ${contactBookIds.length > 1 ? withDuplicates(contactBookIds) : sql`reason`} as reason
      from (
        select c.contact_book_id as book, c.email_key, ${reason} as reason,
          ${inSegment ?? sql`false`} as "inSegment",
          ${topicId ? topicCondition(teamId, topicId, 'c') : sql`false`} as "inTopic"
        from contacts c where c.team_id = ${teamId} and c.contact_book_id = any(${contactBookIds}::uuid[])
      ) judged
    ) counted group by book, reason
  `.execute(db);
  return rows;
}

/** An address in several books gets one email, for the first of them. */
function withDuplicates(contactBookIds: string[]): RawBuilder<unknown> {
  return sql`case
    when reason is null and row_number() over (
      partition by email_key, reason is null order by array_position(${contactBookIds}::uuid[], book)
    ) > 1 then 'duplicate'
    else reason
  end`;
}

interface Names {
  books: { id: string; name: string }[];
  segment: string | null;
  topic: string | null;
}

async function readNames(db: Db, { teamId, contactBookIds, segmentId, topicId }: Targets): Promise<Names> {
  const { rows } = await sql<Names>`
    select (
        select coalesce(json_agg(json_build_object('id', id, 'name', name)
          order by array_position(${contactBookIds}::uuid[], id)), '[]')
        from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])
      ) as books,
      (select name from segments where team_id = ${teamId} and id = ${segmentId}) as segment,
      (select name from topics where team_id = ${teamId} and id = ${topicId}) as topic
  `.execute(db);
  return rows[0]!;
}

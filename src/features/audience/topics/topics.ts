/** Topics are kinds of email. A contact can leave a topic and stay in the book. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { refuseInUse } from '../campaign-use/campaign-use.ts';
import type { Topic, TopicInput, TopicUpdate } from './topics.schema.ts';

const COLUMNS = ['id', 'name', 'description', 'default_subscription', 'created_at', 'updated_at'] as const;

type TopicRow = Row<'topics', (typeof COLUMNS)[number]>;

export function topicKey(topicId: string): string {
  const key = decodeId('top', topicId);
  if (!key) throw notFound('Topic');
  return key;
}

export async function createTopic(db: Db, teamId: number, input: TopicInput): Promise<Topic> {
  const row = await db
    .insertInto('topics')
    .values({
      team_id: teamId,
      id: newUuid(),
      name: input.name,
      description: input.description || null,
      default_subscription: input.defaultSubscription,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return present(row);
}

export async function getTopic(db: Db, teamId: number, topicId: string): Promise<Topic> {
  const row = await db
    .selectFrom('topics')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('id', '=', topicKey(topicId))
    .executeTakeFirst();
  if (!row) throw notFound('Topic');
  return present(row);
}

export async function listTopics(db: Db, teamId: number, page: PageRequest): Promise<Page<Topic>> {
  const start = readPageStart('top', page);
  const rows = await db
    .selectFrom('topics')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, present);
}

export async function updateTopic(
  db: Db,
  teamId: number,
  topicId: string,
  { name, description, defaultSubscription }: TopicUpdate,
): Promise<Topic> {
  const values = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(defaultSubscription === undefined ? {} : { default_subscription: defaultSubscription }),
  };
  if (Object.keys(values).length === 0) return getTopic(db, teamId, topicId);
  const row = await db
    .updateTable('topics')
    .set({ ...values, updated_at: sql`now()` })
    .where('team_id', '=', teamId)
    .where('id', '=', topicKey(topicId))
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw notFound('Topic');
  return present(row);
}

/**
 * Also deletes the contacts' choices. Locks the row first, so that a campaign that starts to use the topic waits and
 * then does not find it.
 */
export async function deleteTopic(db: Db, teamId: number, topicId: string): Promise<void> {
  const id = topicKey(topicId);
  await inTransaction(db, async (trx) => {
    const found = await trx
      .selectFrom('topics')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!found) throw notFound('Topic');
    await refuseInUse(trx, teamId, { topic: id });
    await trx.deleteFrom('topics').where('team_id', '=', teamId).where('id', '=', id).execute();
  });
}

function present(row: TopicRow): Topic {
  return {
    id: encodeId('top', row.id),
    name: row.name,
    description: row.description,
    defaultSubscription: row.default_subscription,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

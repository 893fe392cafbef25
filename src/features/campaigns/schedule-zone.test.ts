import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  makePeople,
  get,
  openCampaignWorld,
} from '../../testing/fixtures/campaign-world.ts';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

beforeAll(async () => {
  // A server 14 hours ahead of UTC.
  process.env.TZ = 'Pacific/Kiritimati';
  await openCampaignWorld();
}, 60_000);
afterAll(closeCampaignWorld);

test('a weekday means the next one in UTC, whatever the time zone of the machine', async () => {
  const anHourAgo = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 60 * MINUTE_MS);
  const time = anHourAgo.toISOString().slice(11, 16);
  const scheduledAt = `${WEEKDAYS[anHourAgo.getUTCDay()]} ${time}`;
  const id = await create(await addBook(makePeople(1)), { scheduledAt });
  expect(await get(id)).toMatchObject({
    status: 'SCHEDULED',
    scheduledAt: new Date(anHourAgo.getTime() + WEEK_MS).toISOString(),
  });
});

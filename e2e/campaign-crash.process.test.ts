import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCampaignScene, type CampaignScene } from './campaign-scene.ts';

const PEOPLE = 1_500;
/**
 * The maximum number of messages that may be between their first byte and their committed outcome when a process is
 * killed.
 */
const MOST_REPEATED = 50;

let scene: CampaignScene;

beforeAll(async () => {
  scene = await openCampaignScene(PEOPLE, 2);
}, 120_000);
afterAll(() => scene.close(), 60_000);

test('a campaign that is paused, stopped and killed reaches everyone and repeats only emails in transfer', async () => {
  const { call, campaignId } = scene;
  const act = async (action: string) =>
    expect((await call('POST', `/campaigns/${campaignId}/${action}`)).body).toEqual({ success: true });
  await act('schedule');

  await scene.waitForEmails(PEOPLE * 0.1);
  await act('pause');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const paused = scene.count();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(scene.count()).toEqual(paused);
  expect(paused.repeated).toBe(0);
  expect((await call('GET', `/campaigns/${campaignId}`)).body).toMatchObject({
    status: 'PAUSED',
    total: PEOPLE,
    sent: paused.reached,
  });
  await act('resume');

  await scene.waitForEmails(PEOPLE * 0.3);
  await scene.replace('SIGTERM');
  await scene.waitForEmails(PEOPLE * 0.5);
  await scene.replace('SIGTERM');
  expect(scene.count().repeated).toBe(0);
  await scene.waitForEmails(PEOPLE * 0.7);
  await scene.replace('SIGKILL');

  const counts = await scene.end(120_000);
  const { reached, repeated, sameMessageIds } = scene.count();
  expect(reached).toBe(PEOPLE);
  expect(repeated).toBeLessThanOrEqual(MOST_REPEATED);
  expect(sameMessageIds).toBe(true);
  expect(counts).toMatchObject({ total: PEOPLE, sent: PEOPLE, delivered: PEOPLE });
}, 240_000);

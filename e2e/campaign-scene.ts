/** A campaign that real processes send to a counting sink. The database outlives the processes. */
import type { Call } from '../src/testing/test-server.ts';
import { addPeople, openSendingScene, until, type SendingScene } from './sending-scene.ts';

/** Each look at the campaign is a request, and too many of them would slow the sending down. */
const ASK_MS = 100;

export interface CampaignScene extends SendingScene {
  campaignId: string;
  /** Resolves a moment after the campaign is SENT, so that late emails are counted too. */
  end(timeoutMs: number): Promise<{ total: number; sent: number; delivered: number }>;
}

export async function openCampaignScene(people: number, processes: number): Promise<CampaignScene> {
  const scene = await openSendingScene();
  const { call } = scene;
  const campaignId = await prepareCampaign(call, people);
  for (let at = 0; at < processes; at++) scene.programs.push(await scene.startProcess());
  const readCampaign = async () => (await call('GET', `/campaigns/${campaignId}`)).body;
  return {
    ...scene,
    campaignId,
    async end(timeoutMs) {
      const isSent = async () => (await readCampaign()).status === 'SENT';
      await until(isSent, 'the end', { timeoutMs, everyMs: ASK_MS });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return readCampaign();
    },
  };
}

async function prepareCampaign(call: Call, people: number): Promise<string> {
  const contactBookId = await addPeople(call, people);
  const { body: campaign } = await call('POST', '/campaigns', {
    name: 'Crash',
    from: 'News <hello@news.test>',
    subject: 'Once, {{firstName}}',
    html: '<p>Only once, {{firstName}}.</p>',
    contactBookId,
  });
  return campaign.id;
}

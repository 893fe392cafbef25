/**
 * Tests campaigns with every kind of crash: `npm run test:crash`. Each has 20,000 people unless CRASH_PEOPLE is set.
 * With CRASH_WRITE=1 the table is written to docs/reliability.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openCampaignScene, type CampaignScene } from '../campaign-scene.ts';

const PEOPLE = Number(process.env.CRASH_PEOPLE ?? 20_000);
const MOST_REPEATED_PER_KILL = 50;
const END_MS = 15 * 60_000;
const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const TABLE = /(<!-- table -->\n)[\s\S]*(<!-- end of table -->)/;

interface Accident {
  name: string;
  processes: number;
  times: number;
  happen(scene: CampaignScene): Promise<void>;
  /** The maximum number of repeated emails per crash. */
  mayRepeat: number;
}

const ACCIDENTS: Accident[] = [
  {
    name: 'paused and resumed',
    processes: 1,
    times: 10,
    mayRepeat: 0,
    async happen({ call, campaignId }) {
      expect((await call('POST', `/campaigns/${campaignId}/pause`)).status).toBe(200);
      expect((await call('POST', `/campaigns/${campaignId}/resume`)).status).toBe(200);
    },
  },
  ...[1, 2].map((processes) => ({
    name: 'SIGTERM and a new process',
    processes,
    times: 10,
    mayRepeat: 0,
    happen: (scene: CampaignScene) => scene.replace('SIGTERM'),
  })),
  ...[1, 2, 4].map((processes) => ({
    name: '`kill -9` and a new process',
    processes,
    times: 10,
    mayRepeat: MOST_REPEATED_PER_KILL,
    happen: (scene: CampaignScene) => scene.replace('SIGKILL'),
  })),
  {
    name: 'the database stopped and started',
    processes: 2,
    times: 3,
    mayRepeat: 0,
    happen: (scene) => scene.restartDatabase(),
  },
  // Longer than the lease: by then other processes have sent its claimed deliveries, or it must send them itself.
  ...[1, 2].map((processes) => ({
    name: 'a process was suspended for 25 s',
    processes,
    times: 1,
    mayRepeat: MOST_REPEATED_PER_KILL,
    happen: (scene: CampaignScene) => scene.programs[0]!.freeze(25_000),
  })),
];

const rows: string[] = [];

test.each(ACCIDENTS)(
  '$name, $times times, with $processes processes',
  async ({ name, processes, times, happen, mayRepeat }) => {
    const scene = await openCampaignScene(PEOPLE, processes);
    try {
      await scene.call('POST', `/campaigns/${scene.campaignId}/schedule`);
      for (let time = 0; time < times; time++) {
        // The times are random, so that crashes hit every step.
        await scene.waitForEmails(((time + Math.random()) * PEOPLE) / times);
        await happen(scene);
      }
      const { total, sent } = await scene.end(END_MS);
      const { reached, repeated, sameMessageIds } = scene.count();
      const cells = [
        name,
        processes,
        times,
        PEOPLE,
        PEOPLE - reached,
        repeated,
        sameMessageIds ? 'yes' : 'no',
      ];
      rows.push(`| ${cells.join(' | ')} |`);
      expect({ reached, total, sent, sameMessageIds }).toEqual({
        reached: PEOPLE,
        total: PEOPLE,
        sent: PEOPLE,
        sameMessageIds: true,
      });
      expect(repeated).toBeLessThanOrEqual(times * mayRepeat);
    } finally {
      await scene.close();
    }
  },
);

afterAll(() => {
  const head = ['accident', 'processes', 'times', 'people', 'lost', 'repeated', 'same Message-ID'];
  const table = [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
  process.stdout.write(`\n${table}\n`);
  if (process.env.CRASH_WRITE !== '1') return;
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(TABLE, `$1\n${table}\n\n$2`));
});

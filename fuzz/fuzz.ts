/** One run: starts the server, creates test data, fuzzes its ports, and returns the findings. */
import { fuzzAmplifying, type AmplifyPlan } from './amplify/run.ts';
import { fuzzDoor, type DoorPart, type DoorPlan } from './doors/run.ts';
import { createFindings, type Finding, type Findings } from './findings.ts';
import { fuzzHttp, type HttpPlan } from './http/run.ts';
import { fuzzMail, type MailPlan } from './mail/run.ts';
import { fuzzRaw, type RawPlan } from './raw/run.ts';
import { fuzzSmtp, type SmtpPlan } from './smtp/run.ts';
import { startTarget, type Target } from './target.ts';
import { makeWorld, type World } from './world.ts';

type PartPlan<Plan> = Omit<Plan, 'seed' | 'endsAtMs'>;

const HEALTH_MS = 500;
const LOOP_MS = 200;

export interface FuzzPlan {
  seed: string;
  /** The time for all parts in total. */
  seconds: number;
  /** Replaces the limits for /healthz (500 ms) and for one piece of work in the event loop (200 ms). */
  loopLimitMs?: number;
  /** Parts that are left out are not fuzzed. */
  raw?: PartPlan<RawPlan>;
  smtp?: PartPlan<SmtpPlan>;
  mail?: PartPlan<MailPlan>;
  http?: PartPlan<HttpPlan>;
  amplify?: PartPlan<AmplifyPlan>;
  vendors?: PartPlan<DoorPlan>;
  jmap?: PartPlan<DoorPlan>;
  imports?: PartPlan<DoorPlan>;
  forms?: PartPlan<DoorPlan>;
  imap?: PartPlan<DoorPlan>;
}

type Part = 'raw' | 'smtp' | 'mail' | 'amplify' | 'http' | DoorPart;

/**
 * The parts run in this order. A part that ends early leaves its time to the later ones; the last can use all of the
 * rest.
 */
const SHARES: [Part, number][] = [
  ['raw', 1],
  ['smtp', 3],
  ['mail', 2],
  ['amplify', 4],
  ['vendors', 4],
  ['jmap', 1],
  ['imap', 1],
  ['forms', 1],
  ['imports', 2],
  ['http', 4],
];

export const PARTS = SHARES.map(([part]) => part);

export interface FuzzResult {
  findings: Finding[];
  /** A readable summary of the run. */
  lines: string[];
}

export async function fuzz(plan: FuzzPlan, tell: (line: string) => void = () => {}): Promise<FuzzResult> {
  const findings = createFindings();
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    tell(line);
  };
  const target = await startTarget(findings, {
    healthMs: plan.loopLimitMs ?? HEALTH_MS,
    loopMs: plan.loopLimitMs ?? LOOP_MS,
  });
  try {
    const world = await makeWorld(target);
    target.watch();
    const endsAtMs = Date.now() + plan.seconds * 1000;
    const parts = SHARES.filter(([part]) => plan[part] !== undefined);
    for (const [at, [part, share]] of parts.entries()) {
      const shares = parts.slice(at).reduce((sum, [, each]) => sum + each, 0);
      const partEndsAtMs = Date.now() + ((endsAtMs - Date.now()) * share) / shares;
      for (const line of await fuzzPart(part, plan, partEndsAtMs, { target, world, findings, say }))
        say(line);
    }
    say(`The machine was up to ${target.worstSlowdown().toFixed(1)} times slower than when idle.`);
  } catch (error) {
    findings.add('the run was cut short', String(error), []);
  } finally {
    await target.close();
  }
  return { findings: findings.all(), lines };
}

interface Tools {
  target: Target;
  world: World;
  findings: Findings;
  say(line: string): void;
}

async function fuzzPart(
  part: Part,
  { seed, raw, smtp, mail, amplify, http, ...doors }: FuzzPlan,
  endsAtMs: number,
  { target, world, findings, say }: Tools,
): Promise<string[]> {
  const when = { seed, endsAtMs };
  switch (part) {
    case 'raw': {
      const { trials, planned } = await fuzzRaw(target, world, findings, { ...raw!, ...when });
      return [`Raw HTTP: ${trials} of ${planned} trials.`];
    }
    case 'smtp': {
      const { dialogues, planned } = await fuzzSmtp(target, world.mailboxAddress, { ...smtp!, ...when });
      return [`SMTP: ${dialogues} of ${planned} dialogues.`];
    }
    case 'mail': {
      const { mails, planned, accepted } = await fuzzMail(target, world, findings, { ...mail!, ...when });
      return [`Mail: ${mails} of ${planned} hostile messages, ${accepted} of them accepted and read.`];
    }
    case 'amplify': {
      const { trials, planned } = await fuzzAmplifying(
        target,
        world,
        findings,
        { ...amplify!, endsAtMs },
        say,
      );
      return [`Amplification: ${trials} of ${planned} requests.`];
    }
    case 'http': {
      const { requests, planned, operations, neverDone } = await fuzzHttp(target, world, findings, {
        ...http!,
        ...when,
      });
      const line = `HTTP: ${requests} of ${planned} requests to ${operations} operations.`;
      return neverDone.length === 0 ? [line] : [line, `Never answered with 200: ${neverDone.join(', ')}.`];
    }
    default:
      return [await fuzzDoor(part, target, world, findings, { ...doors[part]!, ...when })];
  }
}

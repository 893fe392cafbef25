/** One run: starts the product, makes a world in it, fuzzes its doors, and returns what was found. */
import { createFindings, type Finding } from './findings.ts';
import { fuzzHttp, type HttpPlan } from './http/run.ts';
import { fuzzMail, type MailPlan } from './mail/run.ts';
import { fuzzSmtp, type SmtpPlan } from './smtp/run.ts';
import { startTarget } from './target.ts';
import { makeWorld } from './world.ts';

export interface FuzzPlan {
  seed: string;
  /** What is left out is not fuzzed. */
  http?: Omit<HttpPlan, 'seed' | 'endsAtMs'> & { seconds: number };
  smtp?: Omit<SmtpPlan, 'seed' | 'endsAtMs'> & { seconds: number };
  mail?: Omit<MailPlan, 'seed' | 'endsAtMs'> & { seconds: number };
}

export interface FuzzResult {
  findings: Finding[];
  /** What was done, in words. */
  lines: string[];
}

export async function fuzz(plan: FuzzPlan, tell: (line: string) => void = () => {}): Promise<FuzzResult> {
  const findings = createFindings();
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    tell(line);
  };
  const target = await startTarget(findings);
  try {
    const world = await makeWorld(target);
    const { seed, http, smtp, mail } = plan;
    if (http) {
      const done = await fuzzHttp(target, world, findings, {
        ...http,
        seed,
        endsAtMs: inSeconds(http.seconds),
      });
      say(`HTTP: ${done.requests} requests to ${done.operations} operations.`);
      if (done.neverDone.length > 0) say(`Never answered with 200: ${done.neverDone.join(', ')}.`);
    }
    if (smtp) {
      const address = world.mailboxAddress;
      const done = await fuzzSmtp(target, address, {
        ...smtp,
        seed,
        endsAtMs: inSeconds(smtp.seconds),
      });
      say(`SMTP: ${done.dialogues} dialogues.`);
    }
    if (mail) {
      const done = await fuzzMail(target, world, findings, {
        ...mail,
        seed,
        endsAtMs: inSeconds(mail.seconds),
      });
      say(`Mail: ${done.mails} hostile messages, ${done.accepted} of them accepted and read.`);
    }
    say(`The machine was up to ${target.worstSlowdown().toFixed(1)} times slower than when idle.`);
  } catch (error) {
    findings.add('the run was cut short', String(error), []);
  } finally {
    await target.close();
  }
  return { findings: findings.all(), lines };
}

function inSeconds(seconds: number): number {
  return Date.now() + seconds * 1000;
}

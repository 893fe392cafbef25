/** What is wrong with each step, from what the server says of the whole. */
import { sentence } from '../../../ui/form.tsx';
import { TRIGGER } from '../steps/neighbours.ts';
import type { Step } from '../steps/tree.ts';

interface Issue {
  /** Such as `/steps/3/next`. */
  path: string;
  message: string;
}

export interface Problems {
  /** By the key of the step. That of the trigger is empty. */
  bySteps: ReadonlyMap<string, string>;
  /** Those of the settings. */
  others: readonly string[];
}

export function sortProblems(issues: readonly Issue[], steps: readonly Step[]): Problems {
  const bySteps = new Map<string, string>();
  const others: string[] = [];
  for (const { path, message } of issues) {
    const [, part, at, ...rest] = path.split('/');
    const key = part === 'steps' ? steps[Number(at)]?.key : part === 'trigger' ? TRIGGER : undefined;
    const field = part === 'trigger' ? [at, ...rest] : rest;
    const text = sentence([...field.filter(Boolean).slice(0, 1), message].join(' '));
    if (key === undefined) others.push(sentence([part, message].filter(Boolean).join(' ')));
    else if (!bySteps.has(key)) bySteps.set(key, text);
  }
  return { bySteps, others };
}

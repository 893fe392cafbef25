/** A step as it is when it has just been added: complete, so that it can be saved. */
import type { Brand } from '../../../api/brand.ts';
import { firstDocument } from '../../../editor/first-document.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { newKey } from './edit-steps.ts';
import type { Step, StepType } from './tree.ts';

const t = automationTexts;

export interface Defaults {
  from: string | null;
  mailboxId: string | null;
  brand: Brand | undefined;
}

export function newStep(steps: readonly Step[], type: StepType, defaults: Defaults): Step {
  return { key: newKey(steps, type), type, ...fieldsOf(type, steps, defaults) } as Step;
}

function fieldsOf(type: StepType, steps: readonly Step[], { from, mailboxId, brand }: Defaults): object {
  switch (type) {
    case 'email': {
      const last = steps.findLast((step) => step.type === 'email');
      const sender = last?.mailboxId ? { mailboxId: last.mailboxId } : { from: last?.from ?? from };
      const content = firstDocument(t.writing.firstContent, brand);
      return { kind: 'marketing', subject: t.newSubject, content, ...sender };
    }
    case 'delay':
      return { for: '1 day' };
    case 'wait':
      return { event: 'clicked', timeout: '3 days', since: 'run' };
    case 'condition':
      return { where: { all: [] } };
    case 'split':
      return { shares: { a: 50, b: 50 } };
    case 'webhook':
      return { url: 'https://example.com/webhook' };
    case 'thread':
      return { mailboxId: mailboxId ?? '', label: t.newLabel };
    case 'goal':
      return { event: 'order.placed' };
    case 'update':
    case 'exit':
      return {};
  }
}

/** Automations to begin with. Each is complete, except for the sender if the team has no verified domain yet. */
import type { AutomationDefinition } from '../../../../src/features/automations/definition/automations.schema.ts';
import type { Brand } from '../../../api/brand.ts';
import { firstDocument } from '../../../editor/first-document.ts';
import { automationRecipeTexts } from '../../../texts/en/automation-recipes.ts';
import type { Step, StepOf } from '../steps/tree.ts';
import type { RecipeName } from './recipe-names.ts';

export interface Sender {
  from: string | null;
  /** The first mailbox of the team. Replies to its emails are recognised. */
  mailboxId: string | null;
  brand: Brand | undefined;
}

export type Recipe = Pick<AutomationDefinition, 'trigger' | 'steps' | 'exitOn' | 'reentry'>;

type EmailName = keyof typeof automationRecipeTexts.recipeEmails;
type Kit = ReturnType<typeof kitOf>;

function kitOf({ from, mailboxId, brand }: Sender) {
  const sender = from === null ? {} : { from };
  return {
    mailboxId,
    email(key: string, name: EmailName, rest: Partial<StepOf<'email'>> = {}): Step {
      const { subject, text } = automationRecipeTexts.recipeEmails[name];
      const content = firstDocument(text, brand, rest.kind !== 'transactional');
      return { key, type: 'email', kind: 'marketing', subject, content, ...sender, ...rest };
    },
    /** An email to which one replies. Without a mailbox nobody would see the reply. */
    letter(key: string, name: EmailName, rest: Partial<StepOf<'email'>> = {}): Step {
      return this.email(key, name, { ...(mailboxId === null ? {} : { mailboxId, from: null }), ...rest });
    },
    pause: (key: string, duration: string): Step => ({ key, type: 'delay', for: duration }),
  };
}

const MAKE: Record<RecipeName, (kit: Kit) => Partial<Recipe>> = {
  blank: () => ({}),
  welcome: ({ email, pause }) => ({
    trigger: { event: 'contact.created' },
    steps: [email('hello', 'welcome'), pause('days', '3 days'), email('tips', 'tips')],
  }),
  trial: ({ email, pause }) => ({
    trigger: { date: { property: 'trialEnds', offset: '-3 days', at: '09:00', yearly: false } },
    steps: [email('reminder', 'trialEnds'), pause('days', '3 days'), email('last-day', 'trialOver')],
    exitOn: ['unsubscribed', { event: 'plan.chosen' }],
    reentry: 'after_end',
  }),
  abandoned: ({ email, pause }) => ({
    trigger: { event: 'cart.abandoned' },
    steps: [
      pause('hours', '2 hours'),
      email('reminder', 'cart'),
      pause('day', '1 day'),
      email('last-reminder', 'cartAgain'),
    ],
    exitOn: ['unsubscribed', { event: 'order.placed' }],
    reentry: 'after_end',
  }),
  winBack: ({ email }) => ({
    trigger: null,
    steps: [
      email('miss', 'miss'),
      waitFor('clicked', '14 days', { received: null, timeout: 'leave' }),
      { key: 'leave', type: 'update', subscribed: false },
    ],
  }),
  review: ({ email, pause }) => ({
    trigger: { event: 'order.placed' },
    steps: [pause('days', '7 days'), email('review', 'review')],
    reentry: 'after_end',
  }),
  birthday: ({ email }) => ({
    trigger: { date: { property: 'birthday', offset: null, at: '09:00', yearly: true } },
    steps: [email('congratulations', 'birthday')],
    reentry: 'after_end',
  }),
  feedback: (kit) => ({
    trigger: { event: 'contact.created' },
    steps: [
      kit.pause('weeks', '2 weeks'),
      kit.letter('ask', 'feedback'),
      ...(kit.mailboxId === null ? [] : tellTeam(kit.mailboxId)),
    ],
  }),
  followUp: ({ letter, pause }) => ({
    trigger: { event: 'lead.added' },
    steps: [
      letter('ask', 'ask'),
      pause('days', '3 days'),
      letter('again', 'askAgain', { sameThread: true }),
      pause('more-days', '5 days'),
      letter('last', 'askLast', { sameThread: true }),
    ],
    exitOn: ['unsubscribed', 'replied'],
    reentry: 'after_end',
  }),
};

export function makeRecipe(name: RecipeName, sender: Sender): Recipe {
  const made = MAKE[name](kitOf(sender));
  return { trigger: null, steps: [], exitOn: ['unsubscribed'], reentry: 'once', ...made };
}

function waitFor(event: string, timeout: string, next: StepOf<'wait'>['next']): Step {
  return { key: event, type: 'wait', event, timeout, since: 'run', next };
}

function tellTeam(mailboxId: string): Step[] {
  return [
    waitFor('replied', '14 days', { received: 'tell', timeout: null }),
    {
      key: 'tell',
      type: 'thread',
      mailboxId,
      label: automationRecipeTexts.recipeLabel,
      note: automationRecipeTexts.recipeNote,
    },
  ];
}

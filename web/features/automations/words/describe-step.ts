/** What a step and a trigger say on their cards. */
import { OWN_FIELD_NAMES } from '../../../../src/features/audience/own-fields/own-fields.ts';
import type { AutomationDefinition } from '../../../../src/features/automations/definition/automations.schema.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import type { Step, StepOf } from '../steps/tree.ts';
import { describeFilter } from './describe-filter.ts';
import { readDuration } from './duration-parts.ts';

const t = automationTexts;

export type Trigger = NonNullable<AutomationDefinition['trigger']>;

/** The names of templates, segments, topics and so on, by their IDs. */
export type Names = ReadonlyMap<string, string>;

export interface Words {
  title: string;
  /** A second line, or empty. */
  detail: string;
}

export function describeStep(step: Step, names: Names): Words {
  const words = t.cards;
  switch (step.type) {
    case 'delay':
      return { title: describeDelay(step), detail: '' };
    case 'wait':
      return {
        title: words.wait(nameEvent(step.event)),
        detail: words.atMost(sayDuration(step.timeout)),
      };
    case 'condition':
      return { title: words.condition, detail: describeFilter(step.where, names) };
    case 'split':
      return { title: words.split, detail: shareTexts(step).join(' · ') };
    case 'email':
      return describeEmail(step, names);
    case 'update':
      return { title: words.update, detail: describeUpdate(step, names) };
    case 'webhook':
      return { title: words.webhook, detail: hostOf(step.url) };
    case 'thread':
      return { title: words.thread, detail: names.get(step.mailboxId) ?? '' };
    case 'goal':
      return { title: words.goal(nameEvent(step.event)), detail: words.goalDetail };
    case 'exit':
      return { title: words.exit, detail: step.reason ?? '' };
  }
}

export function describeTrigger(trigger: Trigger | null, names: Names): Words {
  const words = t.triggers;
  if (!trigger) return { title: words.none, detail: words.noneDetail };
  if ('event' in trigger) {
    const title = t.eventStarts[trigger.event] ?? words.own(trigger.event);
    return { title, detail: trigger.where ? words.onlyIf(describeFilter(trigger.where, names)) : '' };
  }
  if ('segmentId' in trigger) return { title: words.segment(names.get(trigger.segmentId)), detail: '' };
  const { property, offset, at, yearly } = trigger.date;
  const days = offsetDays(offset ?? '');
  return { title: words.date(words.offset(days), property), detail: words.dateDetail(at, yearly) };
}

/** `-1 week` is 7 days before. */
export function offsetDays(offset: string): number {
  return (parseInt(offset, 10) || 0) * (offset.includes('week') ? 7 : 1);
}

export function nameEvent(event: string): string {
  return t.events[event] ?? event;
}

function sayDuration(duration: string): string {
  const { count, unit } = readDuration(duration);
  return t.durations[unit](Number(count));
}

/** The name of a way out of a step, as it stands above its lane. */
export function nameWay(step: Step, way: string): string {
  if (step.type === 'split') return t.ways.share(way, percentOf(step, way));
  if (step.type === 'wait' && way === 'timeout') return t.ways.after(sayDuration(step.timeout));
  return t.ways.names[way] ?? way;
}

function percentOf({ shares }: StepOf<'split'>, name: string): number {
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  return total > 0 ? Math.round(((shares[name] ?? 0) / total) * 100) : 0;
}

function shareTexts(step: StepOf<'split'>): string[] {
  return Object.keys(step.shares).map((name) => `${percentOf(step, name)} %`);
}

function describeDelay(step: StepOf<'delay'>): string {
  if (step.for) return t.cards.delay(sayDuration(step.for));
  const { at, weekdays } = step.until!;
  const days = weekdays?.length ? weekdays.toSorted((a, b) => a - b).map((day) => t.weekdays[day - 1]!) : [];
  return t.cards.until(at, days);
}

function describeEmail(step: StepOf<'email'>, names: Names): Words {
  const template = step.templateId ? (names.get(step.templateId) ?? step.templateId) : null;
  return {
    title: step.subject || (template ?? t.cards.noSubject),
    detail: template && step.subject ? template : t.cards.email,
  };
}

function describeUpdate(step: StepOf<'update'>, names: Names): string {
  const name = (id: string) => names.get(id) ?? id;
  const parts = [
    ...OWN_FIELD_NAMES.flatMap((name) =>
      (step[name] ?? null) === null ? [] : [t.cards.sets(automationPanelTexts.ownFields[name])],
    ),
    ...Object.keys(step.properties ?? {}).map((key) => t.cards.sets(key)),
    ...(step.topics?.join ?? []).map((id) => t.cards.joins(name(id))),
    ...(step.topics?.leave ?? []).map((id) => t.cards.leaves(name(id))),
    ...(step.segments?.add ?? []).map((id) => t.cards.joins(name(id))),
    ...(step.segments?.remove ?? []).map((id) => t.cards.leaves(name(id))),
    ...(step.subscribed === false ? [t.cards.unsubscribes] : []),
  ];
  return parts.join(', ') || t.cards.changesNothing;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * Steps and connections, as Resend writes them, and our steps. Theirs are a graph whose first step is the trigger; ours
 * are a list whose steps name the next ones. What we cannot do is rejected, not left out.
 */
import { z } from 'zod';
import type { AutomationDefinition } from '../../../../features/automations/definition/automations.schema.ts';
import { nextStep, waysOf } from '../../../../features/automations/definition/ways.ts';
import { record, text } from '../../../../platform/schema.ts';
import { withoutUndefined } from '../../../../platform/without-undefined.ts';
import { eachField, eachName, OURS_OF_PATH } from '../audience/contact-names.ts';
import { refuse, ruleSchema, toFilter, toRule, type ResendRule } from './rules.ts';

const MAX_STEPS = 201;
const MAX_CONNECTIONS = 1_000;
const LONGEST_WAIT = '30 days';

const key = text({ min: 1, max: 64 });
const name = text({ min: 1, max: 100 });
const variable = z.strictObject({ var: text({ min: 1, max: 300 }) });
const plain = z.union([text({ max: 10_000 }), z.number(), z.boolean()]);
const someText = text({ max: 10_000 }).nullish();

function stepOf<Type extends string, Config extends z.ZodType>(type: Type, config: Config) {
  return z.strictObject({ key, type: z.literal(type), config });
}

export const stepsSchema = z
  .array(
    z.discriminatedUnion('type', [
      stepOf('trigger', z.strictObject({ event_name: name })),
      stepOf('delay', z.strictObject({ duration: text({ min: 1, max: 100 }) })),
      stepOf(
        'send_email',
        z.strictObject({
          template: z.strictObject({
            id: text({ min: 1, max: 256 }),
            variables: record(text({ min: 1, max: 256 }), z.union([plain, variable]), { max: 200 }).nullish(),
          }),
          subject: someText,
          from: someText,
          reply_to: someText,
        }),
      ),
      stepOf(
        'wait_for_event',
        z.strictObject({
          event_name: name,
          timeout: text({ min: 1, max: 100 }).nullish(),
          filter_rule: ruleSchema.nullish(),
        }),
      ),
      stepOf('condition', ruleSchema),
      stepOf(
        'contact_update',
        z.strictObject({
          ...eachName(() => z.union([someText, variable])),
          unsubscribed: z.union([z.boolean(), variable]).nullish(),
          properties: record(text({ min: 1, max: 256 }), z.union([plain, z.null(), variable]), {
            max: 100,
          }).nullish(),
        }),
      ),
      stepOf('contact_delete', z.strictObject({})),
      stepOf('add_to_segment', z.strictObject({ segment_id: text({ min: 1, max: 256 }) })),
    ]),
  )
  .min(1)
  .max(MAX_STEPS);

export const connectionsSchema = z
  .array(
    z.strictObject({
      from: key,
      to: key,
      type: z
        .enum(['default', 'condition_met', 'condition_not_met', 'timeout', 'event_received'])
        .default('default'),
    }),
  )
  .max(MAX_CONNECTIONS);

type Step = z.output<typeof stepsSchema>[number];
type Connection = z.output<typeof connectionsSchema>[number];

/** The ways out of our steps, by the types of their connections. */
const WAYS: Record<Connection['type'], string> = {
  default: '',
  condition_met: 'yes',
  condition_not_met: 'no',
  event_received: 'received',
  timeout: 'timeout',
};
const TYPES = new Map(Object.entries(WAYS).map(([type, way]) => [way, type as Connection['type']]));

/** What `automationInput` accepts. */
export function toDefinition(steps: Step[], connections: Connection[]) {
  const triggers = steps.filter(({ type }) => type === 'trigger');
  const [trigger] = triggers;
  if (trigger?.type !== 'trigger' || triggers.length > 1)
    throw refuse('/steps', 'must have exactly one trigger');
  const next = readConnections(steps, connections);
  const first = next.get(trigger.key)?.get('') ?? null;
  const rest = steps.filter(({ type }) => type !== 'trigger');
  const ordered = [
    ...rest.filter((step) => step.key === first),
    ...rest.filter((step) => step.key !== first),
  ];
  if (first === null && rest.length > 0)
    throw refuse('/connections', 'must lead from the trigger to the first step');
  return {
    triggerKey: trigger.key,
    trigger: { event: trigger.config.event_name },
    steps: ordered.map((step) =>
      toOurStep(step, `/steps/${steps.indexOf(step)}`, next.get(step.key) ?? new Map()),
    ),
  };
}

type Ways = Map<string, string>;

function readConnections(steps: Step[], connections: Connection[]): Map<string, Ways> {
  const next = new Map<string, Ways>();
  for (const [at, { from, to, type }] of connections.entries()) {
    const step = steps.find((each) => each.key === from);
    if (!step) throw refuse(`/connections/${at}/from`, 'is not the key of a step');
    const target = steps.find((each) => each.key === to);
    if (!target || target.type === 'trigger')
      throw refuse(`/connections/${at}/to`, 'is not the key of a step that comes after the trigger');
    const way = WAYS[type];
    if (!waysOfTheirs(step).includes(way))
      throw refuse(`/connections/${at}/type`, `is not a way out of a ${step.type} step`);
    const ways: Ways = next.get(from) ?? new Map();
    if (ways.has(way)) throw refuse(`/connections/${at}`, 'is a second connection of the same type');
    next.set(from, ways.set(way, to));
  }
  return next;
}

function waysOfTheirs({ type }: Step): string[] {
  if (type === 'condition') return ['yes', 'no'];
  return type === 'wait_for_event' ? ['received', 'timeout', ''] : [''];
}

function toOurStep(step: Step, path: string, ways: Ways): object {
  const to = (way: string) => ways.get(way) ?? ways.get('') ?? null;
  const common = { key: step.key, next: to('') };
  switch (step.type) {
    case 'delay':
      return { ...common, type: 'delay', for: step.config.duration };
    case 'send_email': {
      const { template, subject, from, reply_to } = step.config;
      const variables = Object.entries(template.variables ?? {}).map(([field, value]) => [
        field,
        toText(value),
      ]);
      return {
        ...common,
        type: 'email',
        templateId: template.id,
        ...(variables.length > 0 ? { variables: Object.fromEntries(variables) } : {}),
        ...given({ subject, from, replyTo: reply_to }),
      };
    }
    case 'wait_for_event': {
      const { event_name, timeout, filter_rule } = step.config;
      return {
        key: step.key,
        type: 'wait',
        event: event_name,
        timeout: timeout ?? LONGEST_WAIT,
        since: 'step',
        ...(filter_rule ? { where: toFilter(filter_rule, `${path}/config/filter_rule`) } : {}),
        next: { received: to('received'), timeout: to('timeout') },
      };
    }
    case 'condition':
      return {
        key: step.key,
        type: 'condition',
        where: toFilter(step.config, `${path}/config`),
        next: { yes: to('yes'), no: to('no') },
      };
    case 'contact_update': {
      const { unsubscribed, properties, ...named } = step.config;
      if (unsubscribed !== undefined && unsubscribed !== null && unsubscribed !== true)
        throw refuse(`${path}/config/unsubscribed`, 'can only be true: an automation subscribes nobody');
      const values = Object.entries(properties ?? {}).map(([field, value]) => [field, toText(value)]);
      return {
        ...common,
        type: 'update',
        ...withoutUndefined(eachField((theirs) => toText(named[theirs]))),
        ...(unsubscribed === true ? { subscribed: false } : {}),
        ...(values.length > 0 ? { properties: Object.fromEntries(values) } : {}),
      };
    }
    case 'add_to_segment':
      return { ...common, type: 'update', segments: { add: [step.config.segment_id] } };
    default:
      throw refuse(`${path}/type`, 'is not supported: an automation deletes nobody');
  }
}

function given(fields: Record<string, string | null | undefined>) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

const ONE_TAG = /^\{\{([^{}|,%]{1,300})\}\}$/;

/** `{var: "event.plan"}` is `{{event.plan}}`. */
function toText<Value>(value: Value | { var: string }): Value | string {
  if (typeof value !== 'object' || value === null || !('var' in value)) return value;
  const path = value.var;
  return `{{${OURS_OF_PATH[path] ?? path.replace(/^contact\.(?:properties\.)?/, '')}}}`;
}

function fromText<Value>(value: Value): Value | { var: string } {
  const path = typeof value === 'string' ? ONE_TAG.exec(value)?.[1] : undefined;
  if (path === undefined) return value;
  const theirs = Object.entries(OURS_OF_PATH).find(([, ours]) => ours === path)?.[0];
  return { var: theirs ?? (/^(?:event|step)\./.test(path) ? path : `contact.${path}`) };
}

type Definition = Pick<AutomationDefinition, 'trigger' | 'steps' | 'triggerKey'>;
type OurStep = AutomationDefinition['steps'][number];

/** Steps that Resend does not have are shown with our types and fields. */
export function presentSteps({ trigger, steps, triggerKey }: Definition) {
  const start = findTriggerKey(steps, triggerKey);
  const first = {
    key: start,
    type: 'trigger',
    config: trigger && 'event' in trigger ? { event_name: trigger.event } : { ...trigger },
  };
  const connections = steps.flatMap((step) =>
    waysOf(step).flatMap((way) => {
      const to = nextStep(steps, step, way);
      return to === null ? [] : [{ from: step.key, to, type: TYPES.get(way) ?? 'default' }];
    }),
  );
  return {
    steps: [first, ...steps.map(presentStep)],
    connections: [
      ...(steps[0] ? [{ from: start, to: steps[0].key, type: 'default' as const }] : []),
      ...connections,
    ],
  };
}

export function findTriggerKey(steps: readonly { key: string }[], stored: string | undefined): string {
  let start = stored ?? 'trigger';
  while (steps.some((step) => step.key === start)) start += '_';
  return start;
}

export function presentStep(step: OurStep): { key: string; type: string; config: Record<string, unknown> } {
  const { key: stepKey } = step;
  switch (step.type) {
    case 'delay':
      if (step.for) return { key: stepKey, type: 'delay', config: { duration: step.for } };
      break;
    case 'email':
      if (step.templateId) return { key: stepKey, type: 'send_email', config: emailConfig(step) };
      break;
    case 'wait':
      return {
        key: stepKey,
        type: 'wait_for_event',
        config: {
          event_name: step.event,
          timeout: step.timeout,
          ...(step.where ? { filter_rule: toRule(step.where) } : {}),
        },
      };
    case 'condition':
      return {
        key: stepKey,
        type: 'condition',
        config: toRule(step.where) as ResendRule & Record<string, unknown>,
      };
    case 'update': {
      const { segments, topics } = step;
      const [segmentId] = segments?.add ?? [];
      if (segmentId) return { key: stepKey, type: 'add_to_segment', config: { segment_id: segmentId } };
      if (!segments && !topics) return { key: stepKey, type: 'contact_update', config: updateConfig(step) };
      break;
    }
  }
  const { key: _, type, next: __, ...config } = { next: null, ...step };
  return { key: stepKey, type, config };
}

function emailConfig({ templateId, variables, subject, from, replyTo }: Extract<OurStep, { type: 'email' }>) {
  const values = Object.entries(variables ?? {}).map(([field, value]) => [field, fromText(value)]);
  return {
    template: {
      id: templateId,
      ...(values.length > 0 ? { variables: Object.fromEntries(values) as object } : {}),
    },
    ...given({ subject, from, reply_to: replyTo }),
  };
}

function updateConfig({ subscribed, properties, ...step }: Extract<OurStep, { type: 'update' }>) {
  const values = Object.entries(properties ?? {}).map(([field, value]) => [field, fromText(value)]);
  return {
    ...withoutUndefined(eachName((ours) => fromText(step[ours]))),
    ...(subscribed === false ? { unsubscribed: true } : {}),
    ...(values.length > 0 ? { properties: Object.fromEntries(values) as object } : {}),
  };
}

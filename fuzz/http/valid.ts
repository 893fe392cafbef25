/** Creates valid requests from the examples and schemas of the document, with IDs of existing objects. */
import type { JsonSchema } from '../../src/http/openapi/openapi-schema.ts';
import type { Random } from '../random.ts';
import { chooseId, DOMAIN, OWNER, SENDER, takeAddedId, type World } from '../world.ts';
import type { FuzzedOperation } from './operations.ts';

const HOUR_MS = 3_600_000;
const OPTIONAL_PROPERTY = 0.2;
const WORDS = ['engine', 'Über', 'reader 📙', 'a b', '{{firstName}}', "O'Neil", '<b>x</b>', '100 %'];

let made = 0;

/** Returns a value for a field that refers to an existing object; undefined for other fields. */
function fieldOfWorld(operationId: string, name: string, world: World, random: Random): unknown {
  const id = (noun: string) => chooseId(world, noun, random);
  switch (name) {
    case 'from':
    case 'doubleOptInFrom':
      return SENDER;
    case 'contactBookId':
      return id('contactBooks');
    case 'templateId':
      return id('templates');
    case 'segmentId':
      return id('segments');
    case 'topicId':
      return id('topics');
    case 'thread_id':
      return id('threads');
    case 'inReplyToId':
      return id('emails');
    case 'domainId':
      return Number(id('domains'));
    case 'contactIds':
      return [id('contacts')];
    case 'ids':
      return [id('threads')];
    case 'topics':
      return [{ id: id('topics'), subscribed: random.chance(0.5) }];
    case 'address':
      return `box${(made += 1)}@${DOMAIN}`;
    case 'email':
      return operationId === 'signIn' ? OWNER.email : `person${(made += 1)}@people.test`;
    case 'password':
      return OWNER.password;
    case 'token':
      return world.invitationToken;
    case 'url':
      return `https://hooks.${DOMAIN}/${(made += 1)}`;
    case 'scheduledAt':
    case 'send_at':
      return new Date(Date.now() + (1 + random.int(1000)) * HOUR_MS).toISOString();
    case 'since':
      return new Date(Date.now() - HOUR_MS).toISOString();
    case 'to':
      return operationId === 'createDraft' ? ['ada@people.test'] : undefined;
    case 'name':
      return operationId === 'createDomain' ? `d${(made += 1)}.test` : undefined;
    default:
      return undefined;
  }
}

export function makeBody(operation: FuzzedOperation, world: World, random: Random): unknown {
  const { schema, example } = operation.body!;
  if (Array.isArray(example))
    return example.map((item) => fill(operation, item, schema.items, world, random));
  return fill(operation, example, schema, world, random);
}

function fill(
  { id }: FuzzedOperation,
  example: unknown,
  schema: JsonSchema | undefined,
  world: World,
  random: Random,
): unknown {
  const body: Record<string, unknown> = { ...(example as object) };
  for (const [name, inner] of Object.entries(schema?.properties ?? {})) {
    if (!(name in body) && !random.chance(OPTIONAL_PROPERTY)) continue;
    const value = fieldOfWorld(id, name, world, random);
    if (value !== undefined) body[name] = value;
    else if (!(name in body)) body[name] = makeValue(inner, random);
  }
  return body;
}

/** Returns a value that the schema allows. Rules that are not in the schema may still reject it. */
export function makeValue(schema: JsonSchema, random: Random): unknown {
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return makeValue(random.pick(choice), random);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return makeText(schema, random);
    case 'integer':
    case 'number':
      return (schema.minimum ?? 0) + random.int(Math.min(100, (schema.maximum ?? 100) + 1));
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return Array.from({ length: 1 + random.int(2) }, () => makeValue(schema.items ?? {}, random));
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, makeValue(inner, random)]),
      );
    default:
      return null;
  }
}

function makeText({ format, minLength = 0, maxLength = 200 }: JsonSchema, random: Random): string {
  if (format === 'date-time') return new Date(Date.now() + HOUR_MS).toISOString();
  if (format === 'email') return `person${random.int(1000)}@people.test`;
  return random.pick(WORDS).padEnd(minLength, 'x').slice(0, Math.max(1, maxLength));
}

/** Operations that succeed only once per object. */
const CONSUMING = new Set(['sendDraft', 'sendWaitingMessageNow', 'cancelEmail', 'changeRole']);
/** Objects that contain others. Their children are created in the one that is never deleted. */
const HOLDERS = new Set(['contactBooks', 'mailboxes', 'webhooks']);

/** Fills the path with IDs of existing objects. A deletion gets only objects that fuzzing has added. */
export function makePath({ id, method, path }: FuzzedOperation, world: World, random: Random): string {
  const parts = path.split('/');
  const lastId = parts.findLastIndex((part) => part.startsWith('{'));
  return parts
    .map((part, index) => {
      if (!part.startsWith('{')) return part;
      if (part === '{n}') return String(random.int(2));
      const noun = parts[index - 1]!;
      const isConsumed = index === lastId && (method === 'DELETE' || CONSUMING.has(id));
      if (HOLDERS.has(noun) && index < parts.length - 1) return world.kept[noun]![0]!;
      const chosen = isConsumed ? takeAddedId(world, noun) : chooseId(world, noun, random);
      return chosen ?? 'x_01kbd8x4zvf7m8rk2q3w5t6y7h';
    })
    .join('/');
}

export function makeQuery(operation: FuzzedOperation, world: World, random: Random): string {
  const query = new URLSearchParams();
  for (const { name, schema, required } of operation.query) {
    if (!required && !random.chance(0.3)) continue;
    const value = fieldOfWorld(operation.id, name, world, random) ?? makeValue(schema, random);
    if (name !== 'cursor') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Stores the ID of a created object, so that later requests can use it. */
export function learn(operation: FuzzedOperation, answer: unknown, world: World): void {
  const noun = operation.path.split('/').at(-1)!;
  if (operation.method !== 'POST' || noun.startsWith('{')) return;
  const { id, contactId, emailId } = (answer ?? {}) as Record<string, string | number>;
  const learned = id ?? contactId ?? emailId;
  if (learned === undefined) return;
  (world.added[noun === 'messages' ? 'scheduled' : noun] ??= []).push(String(learned));
}

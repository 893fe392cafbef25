/** Values for the fields and paths of vendors, so that requests get past the first check. */
import type { JsonSchema } from '../../src/http/openapi/openapi-schema.ts';
import { makeValue } from '../http/valid.ts';
import type { Random } from '../random.ts';
import { chooseId, DOMAIN, SENDER, takeAddedId, type World } from '../world.ts';
import type { VendorOperation } from './vendors.ts';

const RAW = `From: ${SENDER}\r\nTo: ada@people.test\r\nSubject: Hi\r\n\r\nHello\r\n`;

/** Fields of forms, which the declarations of Mailgun's routes do not name. */
export const FORMS: Record<string, Record<string, string>> = {
  '/{domain}/messages': {
    from: SENDER,
    to: 'ada@people.test, grace@people.test',
    subject: 'Hello %recipient.name%',
    text: 'Hello %recipient.name%',
    html: '<p>Hello %recipient.name%</p>',
    'recipient-variables': '{"ada@people.test":{"name":"Ada"},"grace@people.test":{"name":"Grace"}}',
    't:variables': '{"name":"Ada"}',
    'v:order': '5',
    'h:X-Order': '%recipient.name%',
    'o:tag': 'order',
    'o:tracking': 'yes',
    'o:testmode': 'no',
  },
  '/{domain}/messages.mime': { to: 'ada@people.test', message: RAW },
  '/{domain}/bounces': { address: 'bounced@people.test', code: '550', error: 'No such user' },
  '/{domain}/complaints': { address: 'complained@people.test' },
  '/{domain}/unsubscribes': { address: 'left@people.test', tag: '*' },
  '/domains': { name: 'sub.fuzz.test' },
  '/domains/{domain}': { web_scheme: 'https' },
  '/domains/{domain}/tracking/click': { active: 'yes' },
  '/domains/{domain}/tracking/open': { active: 'yes' },
};

/** The nouns of vendors for objects of the world. */
const NOUNS: Record<string, string> = {
  audiences: 'contactBooks',
  broadcasts: 'campaigns',
  inboxes: 'mailboxes',
  outbound: 'emails',
  groups: 'topics',
};

export function makeVendorPath(
  { method, path, door }: VendorOperation,
  world: World,
  random: Random,
): string {
  const parts = path.split('/');
  return parts
    .map((part, at) => {
      if (!part.startsWith('{')) return part;
      const isDeleted = method === 'DELETE' && at === parts.length - 1;
      if (part === '{domain}') return isDeleted ? `gone.${DOMAIN}` : DOMAIN;
      if (part === '{email}') return 'gone@people.test';
      if (part === '{list}') return random.pick(['bounces', 'blocks', 'spam_reports', 'invalid_emails']);
      if (part === '{streamId}') return 'outbound';
      const noun = NOUNS[parts[at - 1]!] ?? parts[at - 1]!;
      const id = isDeleted ? takeAddedId(world, noun) : chooseId(world, noun, random);
      return id ?? (door.prefix === '/postmark' ? '1' : 'x_01kbd8x4zvf7m8rk2q3w5t6y7h');
    })
    .join('/');
}

const OPTIONAL_PROPERTY = 0.3;

export function makeVendorBody(operation: VendorOperation, world: World, random: Random): unknown {
  if (operation.form) return { ...operation.form };
  return makeNamed([], operation.body!.schema, world, random);
}

function makeNamed(path: string[], schema: JsonSchema, world: World, random: Random): unknown {
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return makeNamed(path, random.pick(choice), world, random);
  const type = [schema.type].flat()[0];
  if (type === 'object' && schema.properties) {
    const entries = Object.entries(schema.properties)
      .filter(([name]) => schema.required?.includes(name) || random.chance(OPTIONAL_PROPERTY))
      .map(([name, inner]) => [name, makeNamed([...path, name], inner, world, random)]);
    return Object.fromEntries(entries);
  }
  if (type === 'array')
    return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
      makeNamed(path, schema.items ?? {}, world, random),
    );
  return fieldOf(path, type, world, random) ?? makeValue(schema, random);
}

/** Returns undefined for a field that any value of its schema suits. */
function fieldOf(path: string[], type: string | undefined, world: World, random: Random): unknown {
  if (type !== undefined && type !== 'string') return undefined;
  const name = path.at(-1)?.toLowerCase().replaceAll('_', '') ?? '';
  const id = (noun: string) => chooseId(world, noun, random);
  const isSender = path.some((part) => part.toLowerCase() === 'from');
  switch (name) {
    case 'from':
      return SENDER;
    case 'email':
    case 'to':
    case 'cc':
    case 'bcc':
    case 'replyto':
    case 'emailaddress':
    case 'emails':
    case 'recipientemails':
      return isSender ? `news@${DOMAIN}` : `person${random.int(1_000)}@people.test`;
    case 'templateid':
      return id('templates');
    case 'audienceid':
    case 'contactbookid':
      return id('contactBooks');
    case 'segmentid':
      return id('segments');
    case 'topicid':
      return id('topics');
    case 'subject':
      return 'Hello {{name}}';
    case 'html':
    case 'htmlbody':
      return '<p>Hello {{name}}</p>';
    default:
      return undefined;
  }
}

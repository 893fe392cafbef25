/** Identity/get, /changes and /set (RFC 8621 section 6). */
import {
  destroyIdentity,
  listIdentities,
  listIdentityChanges,
  saveIdentity,
  type IdentityFields,
  type IdentityRow,
} from '../../features/mailboxes/jmap/identities.ts';
import { isAddress } from '../../mail/jmap/email-input.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import { cannotCalculate, pick, readChanges, readGet, refuseUnknown } from '../calls/arguments.ts';
import { readState } from '../calls/ids.ts';
import { notFound, runSet, withoutSent } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';

const PROPERTIES = ['id', 'name', 'email', 'replyTo', 'bcc', 'textSignature', 'htmlSignature', 'mayDelete'];
const MAX_ADDRESSES = 100;
const MAX_LENGTHS = { name: 500, textSignature: 50_000, htmlSignature: 200_000 };

const toIdentityId = (uuid: string): string => encodeId('idn', uuid);

export async function getIdentities(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, PROPERTIES);
  const { identities, state } = await listIdentities(context.tools.db, context.login);
  const found = ids ? identities.filter(({ id }) => ids.includes(toIdentityId(id))) : identities;
  const list = found.map((identity) => pick(present(context, identity), properties));
  const known = new Set(identities.map(({ id }) => toIdentityId(id)));
  const missing = (ids ?? []).filter((id) => !known.has(id));
  return { accountId: context.accountId, state: String(state), list, notFound: missing };
}

function present({ login }: MethodContext, { id, ...fields }: IdentityRow): Arguments {
  return { id: toIdentityId(id), ...fields, mayDelete: id !== login.mailboxId };
}

export async function changedIdentities(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState, limit } = readChanges(context, args);
  const since = readState(sinceState);
  const { db } = context.tools;
  const { state } = await listIdentities(db, context.login);
  if (since === null || since > state) throw cannotCalculate();
  const { created, updated, destroyed } = await listIdentityChanges(db, context.login, since);
  if (created.length + updated.length + destroyed.length > limit) throw cannotCalculate();
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState: String(state),
    hasMoreChanges: false,
    created: created.map(toIdentityId),
    updated: updated.map(toIdentityId),
    destroyed: destroyed.map(toIdentityId),
  };
}

export async function setIdentities(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { tools, login } = context;
  const { response } = await runSet(context, args, {
    readState: async () => String((await listIdentities(tools.db, login)).state),
    async create(input) {
      const blank = { name: '', replyTo: null, bcc: null, textSignature: '', htmlSignature: '' };
      const fields = readFields(context, input, blank);
      if (input.email === undefined) throw invalidProperties(['email'], 'An identity must have an email.');
      const id = toIdentityId(await saveIdentity(tools.db, login, null, fields));
      return withoutSent({ ...fields, mayDelete: true, id }, input);
    },
    async update(id, patch) {
      const current = await requireIdentity(context, id);
      if (patch.email !== undefined && patch.email !== current.email)
        throw invalidProperties(['email'], 'The email of an identity cannot be changed.');
      await saveIdentity(tools.db, login, current.id, readFields(context, patch, current));
      return null;
    },
    async destroy(id) {
      const { id: uuid } = await requireIdentity(context, id);
      if (uuid === login.mailboxId)
        throw new ObjectError('forbidden', 'The identity of the mailbox itself cannot be destroyed.');
      if (!(await destroyIdentity(tools.db, login, uuid))) throw notFound();
    },
  });
  tools.facts.hintMail();
  return response;
}

/** Returns null for IDs of other mailboxes too. */
export async function findIdentity({ tools, login }: MethodContext, id: string): Promise<IdentityRow | null> {
  const uuid = decodeId('idn', id);
  const { identities } = await listIdentities(tools.db, login);
  return identities.find((identity) => identity.id === uuid) ?? null;
}

async function requireIdentity(context: MethodContext, id: string): Promise<IdentityRow> {
  const found = await findIdentity(context, id);
  if (!found) throw notFound();
  return found;
}

function readFields({ login }: MethodContext, input: Arguments, current: IdentityFields): IdentityFields {
  const unknown = Object.keys(input).filter(
    (name) => !PROPERTIES.includes(name) || name === 'id' || name === 'mayDelete',
  );
  if (unknown.length > 0) throw invalidProperties(unknown.slice(0, 20), 'These properties cannot be set.');
  if (input.email !== undefined && input.email !== login.address)
    throw new ObjectError('forbiddenFrom', `An identity of this mailbox has the email ${login.address}.`);
  const text = (name: keyof typeof MAX_LENGTHS): string => {
    const value = input[name];
    if (value === undefined) return current[name];
    const isText = typeof value === 'string' && value.length <= MAX_LENGTHS[name];
    if (!isText)
      throw invalidProperties([name], `${name} must be a string of at most ${MAX_LENGTHS[name]} characters.`);
    return value;
  };
  const addresses = (name: 'replyTo' | 'bcc') => {
    const value = input[name];
    if (value === undefined) return current[name];
    if (value === null) return null;
    if (!Array.isArray(value) || value.length > MAX_ADDRESSES || !value.every(isAddress))
      throw invalidProperties([name], `${name} must be a list of addresses or null.`);
    return value.map((address) => ({ name: address.name ?? null, email: address.email }));
  };
  return {
    name: text('name'),
    replyTo: addresses('replyTo'),
    bcc: addresses('bcc'),
    textSignature: text('textSignature'),
    htmlSignature: text('htmlSignature'),
  };
}

/**
 * Quota/get, /changes, /query and /queryChanges (RFC 9425). All mailboxes of a team share its storage; a team without
 * a limit has no Quota. The state holds both figures, so nothing has to be kept for clients that synchronise.
 */
import { getTeamStorage } from '../../features/account/storage/storage-figures.ts';
import {
  anchorNotFound,
  cannotCalculate,
  pageOf,
  pick,
  readChanges,
  readGet,
  readQuery,
  readQueryChanges,
  refuseUnknown,
} from '../calls/arguments.ts';
import { matchesFilter, readFilter, readSort, unsupportedFilter } from '../calls/filters.ts';
import { MethodError, type Arguments, type JmapTools, type MethodContext } from '../calls/tools.ts';
import type { MailLogin } from '../../features/identity/app-passwords/app-password-cache.ts';

const ID = 'team';
const PROPERTIES = [
  'id',
  'resourceType',
  'used',
  'hardLimit',
  'scope',
  'name',
  'types',
  'warnLimit',
  'softLimit',
  'description',
];
const SORTED_BY = ['name', 'used'] as const;
const STATE = /^(\d{1,20})\/(\d{1,20}|-)$/;

interface Figures {
  usedBytes: number;
  limitBytes: number | null;
}

export async function getQuotas(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, PROPERTIES);
  const figures = await readFigures(context.tools, context.login);
  const quotas = present(figures).filter(({ id }) => !ids || ids.includes(id));
  return {
    accountId: context.accountId,
    state: toState(figures),
    list: quotas.map((quota) => pick({ ...quota }, properties)),
    notFound: (ids ?? []).filter((id) => !quotas.some((quota) => quota.id === id)),
  };
}

function present({ usedBytes, limitBytes }: Figures) {
  if (limitBytes === null) return [];
  return [
    {
      id: ID,
      resourceType: 'octets',
      used: usedBytes,
      hardLimit: limitBytes,
      scope: 'domain',
      name: 'Storage of the team',
      types: ['Email', 'EmailSubmission'],
      warnLimit: null,
      softLimit: null,
      description: 'All mailboxes, emails and contacts of the team share this storage.',
    },
  ];
}

type Quota = ReturnType<typeof present>[number];

export async function changedQuotas(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState } = readChanges(context, args);
  const figures = await readFigures(context.tools, context.login);
  const [, used, limit] = STATE.exec(sinceState) ?? [];
  if (used === undefined || limit === undefined) throw cannotCalculate();
  const newState = toState(figures);
  const [had, has] = [limit !== '-', figures.limitBytes !== null];
  const isUpdated = had && has && sinceState !== newState;
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState,
    hasMoreChanges: false,
    created: !had && has ? [ID] : [],
    updated: isUpdated ? [ID] : [],
    destroyed: had && !has ? [ID] : [],
    updatedProperties: isUpdated && limit === String(figures.limitBytes) ? ['used'] : null,
  };
}

export async function queryQuotas(context: MethodContext, args: Arguments): Promise<Arguments> {
  const query = readQuery(context, args);
  const filter = readFilter(query.filter, readCondition);
  readSort(query.sort, SORTED_BY);
  const figures = await readFigures(context.tools, context.login);
  const found = present(figures).flatMap((quota) => (matchesFilter(quota, filter) ? quota.id : []));
  const page = pageOf(found, query);
  if (!page) throw anchorNotFound();
  return {
    accountId: context.accountId,
    queryState: toState(figures),
    canCalculateChanges: false,
    ...page,
    ...(query.calculateTotal ? { total: found.length } : {}),
  };
}

export function queryQuotaChanges(context: MethodContext, args: Arguments): Arguments {
  const { filter, sort } = readQueryChanges(context, args);
  readFilter(filter, readCondition);
  readSort(sort, SORTED_BY);
  throw cannotCalculate();
}

function readCondition(filter: Arguments): (quota: Quota) => boolean {
  const conditions = Object.entries(filter).map(([name, value]) => {
    if (!['name', 'scope', 'resourceType', 'type'].includes(name)) throw unsupportedFilter(name);
    if (typeof value !== 'string')
      throw new MethodError('invalidArguments', `The value of ${name} has the wrong type.`);
    return (quota: Quota) => {
      if (name === 'name') return quota.name.toLowerCase().includes(value.toLowerCase());
      if (name === 'type') return quota.types.includes(value);
      return (name === 'scope' ? quota.scope : quota.resourceType) === value;
    };
  });
  return (quota) => conditions.every((matches) => matches(quota));
}

export async function readQuotaState(tools: JmapTools, login: MailLogin): Promise<string> {
  return toState(await readFigures(tools, login));
}

async function readFigures({ db, facts }: JmapTools, { teamId }: MailLogin): Promise<Figures> {
  const { usedBytes, limitBytes } = await getTeamStorage(db, teamId, facts.storage.defaultMb);
  return { usedBytes, limitBytes };
}

/** Without a limit, what is used does not matter. */
function toState({ usedBytes, limitBytes }: Figures): string {
  return limitBytes === null ? '0/-' : `${usedBytes}/${limitBytes}`;
}

/** The routes of the versions of campaigns and of templates. */
import { z } from 'zod';
import type { Db } from '../../../platform/database/database.ts';
import { pathId } from '../../../platform/schema.ts';
import type { Caller } from '../../api/caller.ts';
import { route } from '../../api/route.ts';
import { versionPage, versionQuery, versionSchema, type Version } from './versions.schema.ts';
import { getVersion, listVersions, type VersionOwner } from './versions.ts';

interface VersionedNoun<Answer extends z.ZodType> {
  /** In lower case. */
  noun: 'campaign' | 'template';
  /** Documentation: when a version is stored. */
  kept: string;
  /** Documentation: what restoring a version does. */
  restoring: string;
  answer: Answer;
  boundKeys?: 'kept-to-domain';
  canConflict?: boolean;
  example: { id: string; version: Version; restored: z.input<Answer> };
  findOwner(db: Db, caller: Caller, id: string): Promise<VersionOwner>;
  restore(db: Db, caller: Caller, id: string, versionId: string): Promise<z.input<Answer>>;
}

export function versionRoutes<Answer extends z.ZodType>(of: VersionedNoun<Answer>) {
  const { noun, example } = of;
  const name = noun === 'campaign' ? 'Campaign' : 'Template';
  const path = `/v1/${noun}s/{${noun}Id}/versions` as const;
  const ownerParams = z.object({ [`${noun}Id`]: pathId() });
  const params = z.object({ [`${noun}Id`]: pathId(), versionId: pathId() });
  const idOf = (given: Record<string, string>) => given[`${noun}Id`]!;
  const ids = { [`${noun}Id`]: example.id };
  const shared = {
    group: `${name}s`,
    permission: 'full',
    role: 'member',
    ...(of.boundKeys ? { boundKeys: of.boundKeys } : {}),
  } as const;
  return [
    route({
      ...shared,
      operationId: `list${name}Versions`,
      method: 'GET',
      path,
      scope: `${noun}s.read`,
      summary: `List the versions of a ${noun}`,
      description: `${of.kept} Versions are kept for 30 days, and at most 100.`,
      errors: ['NOT_FOUND'],
      params: ownerParams,
      query: versionQuery,
      answer: versionPage,
      example: { params: ids, answer: { items: [listedOf(example.version)], next_cursor: null } },
      handle: async ({ db, caller, params: given, query }) =>
        listVersions(db, caller.teamId, await of.findOwner(db, caller, idOf(given)), query),
    }),
    route({
      ...shared,
      operationId: `get${name}Version`,
      method: 'GET',
      path: `${path}/{versionId}`,
      scope: `${noun}s.read`,
      summary: `Get a version of a ${noun}`,
      errors: ['NOT_FOUND'],
      params,
      answer: versionSchema,
      example: { params: { ...ids, versionId: example.version.id }, answer: example.version },
      handle: async ({ db, caller, params: given }) =>
        getVersion(db, caller.teamId, await of.findOwner(db, caller, idOf(given)), given.versionId!),
    }),
    route({
      ...shared,
      operationId: `restore${name}Version`,
      method: 'POST',
      path: `${path}/{versionId}/restore`,
      scope: `${noun}s.write`,
      summary: `Restore a version of a ${noun}`,
      description: of.restoring,
      errors: of.canConflict ? ['NOT_FOUND', 'CONFLICT'] : ['NOT_FOUND'],
      params,
      answer: of.answer,
      example: { params: { ...ids, versionId: example.version.id }, answer: example.restored },
      handle: ({ db, caller, params: given }) => of.restore(db, caller, idOf(given), given.versionId!),
    }),
  ];
}

function listedOf({ id, subject, savedAt, replacedAt, savedBy, savedByName }: Version) {
  return { id, subject, savedAt, replacedAt, savedBy, savedByName };
}

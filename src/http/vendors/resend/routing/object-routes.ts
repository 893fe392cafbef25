/** The two routes that most of Resend's objects have alike: a list of all, and to delete one by its ID. */
import { z } from 'zod';
import type { Route, RouteRequest } from '../../../../features/api/route.ts';
import type { Page, PageRequest } from '../../../../platform/pages.ts';
import { pathId } from '../../../../platform/schema.ts';
import { listOf, listQuery, toList, toPageRequest } from './lists.ts';
import { resendRoute } from './resend-route.ts';

type Allowed = Pick<Route, 'path' | 'scope' | 'permission' | 'boundKeys'> & Partial<Pick<Route, 'role'>>;
type Asked = Pick<RouteRequest<unknown, unknown, unknown>, 'db' | 'teamId' | 'caller' | 'facts'>;

export function listRoute<Item, Shown extends z.ZodType>({
  list,
  item,
  present,
  ...allowed
}: Allowed & {
  list(request: Asked, page: PageRequest): Promise<Page<Item>>;
  item: Shown;
  present(item: Item): z.input<Shown>;
}): Route {
  return resendRoute({
    method: 'GET',
    ...allowed,
    query: listQuery,
    answer: listOf(item),
    handle: async (request) => toList(await list(request, toPageRequest(request.query)), present),
  });
}

/** The path has the parameter `id`. `remove` returns another ID if that is the object's own. */
export function deleteRoute({
  object,
  remove,
  ...allowed
}: Allowed & { object: string; remove(request: Asked, id: string): Promise<string | void> }): Route {
  return resendRoute({
    method: 'DELETE',
    ...allowed,
    params: z.object({ id: pathId() }),
    answer: z.object({ object: z.literal(object), id: z.string(), deleted: z.boolean() }),
    async handle(request) {
      const { id } = request.params;
      return { object, id: (await remove(request, id)) ?? id, deleted: true };
    },
  });
}

/** Declares the routes of a door with the fields that all of them share. */
import type { z } from 'zod';
import { route, type Route } from '../../features/api/route.ts';

/** The vendor documents the routes, so they have no example and no summary. */
type Undocumented = 'operationId' | 'group' | 'summary' | 'role' | 'example' | 'errorForm' | 'readKey';

type Shared = Required<Pick<Route, 'errorForm' | 'readKey'>> & Partial<Pick<Route, 'group'>>;

/** `vendor` begins the operation IDs of its routes. Their group has the same name, unless `shared` names another one. */
export function createVendorRoute(vendor: string, shared: Shared) {
  return <
    Params extends z.ZodType,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Answer extends z.ZodType,
  >(
    declaration: Omit<Route<Params, Query, Body, Answer>, Undocumented> & Partial<Pick<Route, 'role'>>,
  ): Route =>
    route<Params, Query, Body, Answer>({
      operationId: `${vendor} ${declaration.method} ${declaration.path}`,
      group: vendor,
      summary: '',
      role: 'member',
      example: {} as Route<Params, Query, Body, Answer>['example'],
      ...shared,
      ...declaration,
    });
}

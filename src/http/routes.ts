/** Every route of the API, in the order of the documentation. */
import { apiKeyRoutes } from '../features/api-keys/api-keys.routes.ts';
import { contactBookRoutes } from '../features/contact-books/contact-books.routes.ts';
import { contactRoutes } from '../features/contacts/contacts.routes.ts';
import { exportRoutes } from '../features/contacts/export.routes.ts';
import { importRoutes } from '../features/contacts/imports.routes.ts';
import { teamRoutes } from '../features/teams/teams.routes.ts';
import type { AnyRoute } from '../platform/route.ts';

export const apiRoutes: AnyRoute[] = [
  ...contactBookRoutes,
  ...contactRoutes,
  ...importRoutes,
  ...exportRoutes,
  ...teamRoutes,
  ...apiKeyRoutes,
];

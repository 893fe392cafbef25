/** The door for applications that use Postmark, such as its SDK with another host. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { bounceRoutes } from './bounces.ts';
import { postmarkErrors } from './errors.ts';
import { messageRoutes } from './messages.ts';
import { sendingRoutes } from './sending.ts';
import { serverRoutes } from './server.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';

export const postmarkDoor: VendorDoor = {
  prefix: '/postmark',
  routes: [
    ...sendingRoutes,
    ...messageRoutes,
    ...bounceRoutes,
    ...suppressionRoutes,
    ...templateRoutes,
    ...serverRoutes,
  ],
  errorForm: postmarkErrors,
  missing: [
    '/email/bulk',
    '/messages/inbound',
    '/stats',
    '/triggers',
    '/webhooks',
    '/domains',
    '/senders',
    '/servers',
    '/data-removals',
    '/templates/push',
    'PUT /server',
    'POST /message-streams',
    'PATCH /message-streams',
  ],
  isAtRoot: false,
  ignoresCase: true,
};

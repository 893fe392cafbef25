/** The door for applications that use SendGrid, such as its SDK with another base URL. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { activityRoutes } from './activity.ts';
import { sendgridErrors } from './errors.ts';
import { groupRoutes } from './groups.ts';
import { mailRoutes } from './mail.ts';
import { suppressionRoutes } from './suppressions.ts';

export const sendgridDoor: VendorDoor = {
  prefix: '/sendgrid',
  routes: [...mailRoutes, ...suppressionRoutes, ...groupRoutes, ...activityRoutes],
  errorForm: sendgridErrors,
  missing: [
    '/v3/access_settings',
    '/v3/alerts',
    '/v3/api_keys',
    '/v3/asm/suppressions',
    '/v3/campaigns',
    '/v3/categories',
    '/v3/contactdb',
    '/v3/designs',
    '/v3/ips',
    '/v3/mail_settings',
    '/v3/marketing',
    '/v3/partner_settings',
    '/v3/scopes',
    '/v3/senders',
    '/v3/stats',
    '/v3/subusers',
    '/v3/teammates',
    '/v3/tracking_settings',
    '/v3/user',
    '/v3/validations',
    '/v3/verified_senders',
    '/v3/whitelabel',
    'POST /v3/templates',
    'PATCH /v3/templates',
    'PUT /v3/templates',
    'DELETE /v3/templates',
  ],
  isAtRoot: false,
};

/** The door for applications that use Mailgun, such as Ghost. Its SDK uses another version of the API for domains. */
import type { VendorDoor } from '../../routing/vendor-door.ts';
import { mailgunDomainRoutes } from './domains.ts';
import { mailgunErrors } from './errors.ts';
import { mailgunEventRoutes } from './events.ts';
import { mailgunMessageRoutes } from './messages.ts';
import { mailgunSuppressionRoutes } from './suppressions.ts';

/** Paths below a domain that exist at Mailgun but not here. */
const OF_DOMAINS = [
  'connection',
  'credentials',
  'dkim_authority',
  'dkim_selector',
  'ips',
  'keys',
  'limits',
  'messages',
  'pool',
  'sending_queues',
  'tag',
  'tags',
  'tracking/unsubscribe',
  'web_prefix',
  'webhooks',
];
const LISTS = ['bounces', 'complaints', 'unsubscribes'];

export const mailgunDoor: VendorDoor = {
  prefix: '/v3',
  routes: [
    ...mailgunMessageRoutes,
    ...mailgunEventRoutes,
    ...mailgunSuppressionRoutes,
    ...mailgunDomainRoutes,
  ],
  errorForm: mailgunErrors,
  missing: [
    ...['ip_pools', 'ips', 'lists', 'routes', 'stats'].map((name) => `/${name}`),
    ...OF_DOMAINS.map((name) => `/domains/{domain}/${name}`),
    ...['aggregates', 'stats', 'tag', 'tags', 'templates', 'whitelists'].map((name) => `/{domain}/${name}`),
    ...LISTS.map((name) => `/{domain}/${name}/import`),
  ],
  isAtRoot: false,
};

export const mailgunDomainsDoor: VendorDoor = {
  prefix: '/v4',
  routes: mailgunDomainRoutes,
  errorForm: mailgunErrors,
  missing: ['/address', '/inbox', '/domains/{domain}/keys'],
  isAtRoot: false,
};

/** Other versions of Mailgun's API. The SDK uses them only for features that Posthorn does not have. */
export const mailgunOtherDoors: VendorDoor[] = ['/v1', '/v2', '/v5'].map((prefix) => ({
  prefix,
  routes: [],
  errorForm: mailgunErrors,
  missing: ['/{anything}'],
  isAtRoot: false,
  // Our own API is under /api/v1.
  needsBasic: prefix === '/v1',
}));

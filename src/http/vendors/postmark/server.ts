/** The server of a token is the team, and its message streams are fixed. */
import { z } from 'zod';
import { getTeam, limitsOf } from '../../../features/account/teams/teams.ts';
import { notFound } from '../../../platform/errors.ts';
import { DEFAULT_STREAM, listQuery, postmarkRoute } from './postmark-route.ts';

const stream = z.object({
  ID: z.string(),
  ServerID: z.int(),
  Name: z.string(),
  Description: z.string(),
  MessageStreamType: z.enum(['Transactional', 'Broadcasts']),
  CreatedAt: z.string(),
  UpdatedAt: z.null(),
  ArchivedAt: z.null(),
  ExpectedPurgeDate: z.null(),
  SubscriptionManagementConfiguration: z.object({ UnsubscribeHandlingType: z.literal('None') }),
});

const none = z.literal('');
const settings = z.object({
  TrackOpens: z.literal(false),
  TrackLinks: z.literal('None'),
  PostFirstOpenOnly: z.literal(false),
  IncludeBounceContentInHook: z.literal(false),
  EnableSmtpApiErrorHooks: z.literal(false),
  InboundSpamThreshold: z.literal(0),
  InboundAddress: none,
  InboundDomain: none,
  InboundHash: none,
  InboundHookUrl: none,
  BounceHookUrl: none,
  OpenHookUrl: none,
  DeliveryHookUrl: none,
  ClickHookUrl: none,
});

/** What Posthorn has elsewhere: tracking is a setting of a domain, and webhooks and mailboxes have their own API. */
const SETTINGS: z.output<typeof settings> = {
  TrackOpens: false,
  TrackLinks: 'None',
  PostFirstOpenOnly: false,
  IncludeBounceContentInHook: false,
  EnableSmtpApiErrorHooks: false,
  InboundSpamThreshold: 0,
  InboundAddress: '',
  InboundDomain: '',
  InboundHash: '',
  InboundHookUrl: '',
  BounceHookUrl: '',
  OpenHookUrl: '',
  DeliveryHookUrl: '',
  ClickHookUrl: '',
};

export const serverRoutes = [
  postmarkRoute({
    method: 'GET',
    path: '/server',
    scope: 'any',
    permission: 'full',
    answer: settings.extend({
      ID: z.int(),
      Name: z.string(),
      ApiTokens: z.array(z.string()),
      ServerLink: z.string(),
      Color: z.string(),
      SmtpApiActivated: z.boolean(),
      RawEmailEnabled: z.boolean(),
      DeliveryType: z.literal('Live'),
    }),
    async handle({ db, teamId, facts }) {
      const { id, name } = await getTeam(db, teamId, limitsOf(facts));
      return {
        ID: id,
        Name: name,
        ApiTokens: [],
        ServerLink: facts.baseUrl,
        Color: 'blue',
        SmtpApiActivated: true,
        RawEmailEnabled: false,
        DeliveryType: 'Live' as const,
        ...SETTINGS,
      };
    },
  }),
  postmarkRoute({
    method: 'GET',
    path: '/message-streams',
    scope: 'any',
    permission: 'full',
    query: listQuery('messagestreamtype', 'includearchivedstreams'),
    answer: z.object({ MessageStreams: z.array(stream), TotalCount: z.int() }),
    async handle({ db, teamId, facts, query: { messagestreamtype: type = 'All' } }) {
      const all = streamsOf(await getTeam(db, teamId, limitsOf(facts)));
      const shown = all.filter(({ MessageStreamType }) => type === 'All' || MessageStreamType === type);
      return { MessageStreams: shown, TotalCount: shown.length };
    },
  }),
  postmarkRoute({
    method: 'GET',
    path: '/message-streams/{streamId}',
    scope: 'any',
    permission: 'full',
    params: z.object({ streamId: z.string() }),
    answer: stream,
    async handle({ db, teamId, facts, params: { streamId } }) {
      const found = streamsOf(await getTeam(db, teamId, limitsOf(facts))).find(({ ID }) => ID === streamId);
      if (!found) throw notFound('Message stream');
      return found;
    },
  }),
];

function streamsOf(team: { id: number; createdAt: string }): z.input<typeof stream>[] {
  const shared = {
    ServerID: team.id,
    CreatedAt: team.createdAt,
    UpdatedAt: null,
    ArchivedAt: null,
    ExpectedPurgeDate: null,
    SubscriptionManagementConfiguration: { UnsubscribeHandlingType: 'None' as const },
  };
  return [
    {
      ID: DEFAULT_STREAM,
      Name: 'Transactional',
      Description: '',
      MessageStreamType: 'Transactional',
      ...shared,
    },
    { ID: 'broadcast', Name: 'Broadcasts', Description: '', MessageStreamType: 'Broadcasts', ...shared },
  ];
}

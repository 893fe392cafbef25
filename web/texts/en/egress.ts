import { number, plural } from './number.ts';

export const egressTexts = {
  title: 'Outgoing routes',
  lead: 'The addresses and relays that mail leaves through, and how new addresses are warmed up.',
  memberTitle: 'Only owners and admins can see the outgoing routes',
  memberText: 'Ask an owner or admin of your team if mail is slow.',
  emptyTitle: 'There is one outgoing route',
  emptyText: 'Mail leaves through MAIL_TRANSPORT. The operator adds others with the settings EGRESS_<NAME>.',
  kinds: { direct: 'Address', relay: 'Relay' },
  introduces: (name: string) => `introduces itself as ${name}`,
  pools: (names: string[]) => `Pools: ${names.join(', ')}`,
  slowed: (provider: string) => `${provider} has slowed it down. Sending goes on`,
  warm: 'It is not being warmed up.',
  warmUp: 'Warm up',
  warmUpAgain: 'Start the warm-up again',
  since: 'Warm-up since',
  goal: (target: number) => `to ${number(target)} emails a day to each provider`,
  provider: 'Provider',
  others: 'All other providers',
  room: (sent: number, cap: number) => `${number(sent)} of ${number(cap)} sent today`,
  noLimit: (sent: number) => `${number(sent)} sent today, without a limit`,
  waiting: (count: number) =>
    plural(count, {
      one: '1 email of a campaign waits for a later day',
      other: `${number(count)} emails of campaigns wait for a later day`,
    }),
  noMail: 'No mail has been sent through it yet.',
  changes: { start: 'Start', rise: 'Rises', hold: 'Holds', halve: 'Halved', rest: 'Rested', warm: 'Warm' },
  curve: (name: string) => `Limit and emails sent by day, ${name}`,
  day: (day: string, sent: number, cap: number | null) =>
    cap === null ? `${day}: ${number(sent)} sent` : `${day}: ${number(sent)} of ${number(cap)} sent`,
  dialogTitle: (name: string) => `Warm up ${name}`,
  dialogText:
    'Campaigns over the limit of the day wait for the next one. All other mail is sent and counted. The limit rises after good days, and falls when providers defer or block mail.',
  target: 'Emails a day to each provider at the end',
  start: 'Emails on the first day',
  begin: 'Start',
  started: 'Warm-up started',
};

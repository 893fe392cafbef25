import { number } from './number.ts';

export const growthTexts = {
  title: 'Growth',
  range: 'Time',
  ranges: { days: 'Last 30 days', weeks: 'Last 12 months' },
  subscribers: 'Subscribers',
  joined: 'Joined',
  confirmed: 'Confirmed',
  returned: 'Came back',
  left: 'Left',
  pending: 'Not confirmed yet',
  sources: 'Where they came from',
  source: {
    form: 'Form',
    import: 'Import',
    api: 'API',
    archive: 'Archive',
    referral: 'Recommended by',
  },
  noSources: 'Nobody joined in this time.',
  more: (count: number) => `${number(count)} more`,
  chart: (first: number, last: number) => `From ${number(first)} to ${number(last)} subscribers`,
  point: (day: string, total: number) => `${day}: ${number(total)}`,
};

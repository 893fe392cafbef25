import { number, plural } from './number.ts';

function duration(minutes: number): string {
  if (minutes === 0) return 'Immediately';
  const [count, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${number(count)} ${unit}${plural(count, { one: '', other: 's' })}`;
}

/** A/B tests of campaigns. */
export const abTestTexts = {
  title: 'A/B test',
  hint: 'Send two to four variants to some of the recipients first. Everyone else gets the one that does best.',
  variant: (letter: string) => `Variant ${letter}`,
  addVariant: 'Add variant',
  removeVariant: (letter: string) => `Remove variant ${letter}`,
  asInCampaign: 'Same as the campaign',
  noPreviewText: 'No preview text',
  ownContent: 'Different content',
  contentOf: (letter: string) => `Content of ${letter}`,
  editBelow: (tab: string) => `Edit it below, in “${tab}”.`,
  equal: 'Two variants are the same. Change the subject, sender, preview text or content of one of them.',
  testPercent: 'Recipients in the test (%)',
  testPercentHint: 'Split evenly between the variants.',
  decideBy: 'Choose the winner by',
  deciders: { opens: 'Opens', clicks: 'Clicks', person: 'Your own choice' },
  untracked: {
    opens:
      'Opens are not tracked, so the first variant would win. Turn on tracking for the domain, or choose the winner yourself.',
    clicks:
      'Clicks are not tracked, so the first variant would win. Turn on tracking for the domain, or choose the winner yourself.',
  },
  decideAfter: 'After',
  decideAfterHint: 'Counted from the last email of the test.',
  duration,
  chooseHint: 'Everyone else waits until someone on your team chooses the winner on this page.',
  summary: (variants: number, percent: number) =>
    `${variants} variants to ${percent}% of the recipients; everyone else gets the winner`,
  states: {
    before: 'The test starts with the campaign.',
    sending: 'The test is being sent.',
    person: 'The test has been sent. Choose the variant that everyone else gets.',
    decided: (letter: string) => `Everyone else gets variant ${letter}.`,
    all: (letter: string) => `Everyone was in the test. Variant ${letter} did best.`,
    allSame: 'Everyone was in the test.',
  },
  decidesAt: {
    opens: 'The variant with the most opens is chosen',
    clicks: 'The variant with the most clicks is chosen',
  },
  winner: 'Winner',
  leads: 'Leading',
  name: 'Variant',
  recipients: 'Recipients',
  choose: 'Choose',
  chooseLetter: (letter: string) => `Choose variant ${letter}`,
  chooseTitle: (letter: string) => `Send variant ${letter} to everyone else?`,
  chooseText: (rest: number) =>
    `${plural(rest, { one: '1 recipient gets', other: `${number(rest)} recipients get` })} this variant. This cannot be undone.`,
  chosen: (letter: string) => `Everyone else gets variant ${letter}`,
  testVariant: 'Variant',
};

const number = (value: number) => new Intl.NumberFormat('en-GB').format(value);

function duration(minutes: number): string {
  if (minutes === 0) return 'At once';
  const [count, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${number(count)} ${unit}${count === 1 ? '' : 's'}`;
}

/** A/B tests of campaigns. */
export const abTestTexts = {
  title: 'A/B test',
  hint: 'Try two to four variants on some of the recipients. The rest get the best one.',
  variant: (letter: string) => `Variant ${letter}`,
  addVariant: 'Add variant',
  removeVariant: (letter: string) => `Remove variant ${letter}`,
  asInCampaign: 'As in the campaign',
  noPreviewText: 'No preview text',
  ownContent: 'Its own',
  contentOf: (letter: string) => `Content of ${letter}`,
  editBelow: (tab: string) => `Edit it below, in “${tab}”.`,
  equal: 'Two variants are the same. Change the subject, sender, preview text or content of one of them.',
  testPercent: 'Recipients in the test (%)',
  testPercentHint: 'Each variant goes to the same number of them.',
  decideBy: 'The winner is chosen by',
  deciders: { opens: 'Opens', clicks: 'Clicks', person: 'A person' },
  untracked: {
    opens: 'Opens are not tracked, so the first variant would win.',
    clicks: 'Clicks are not tracked, so the first variant would win.',
  },
  decideAfter: 'After',
  decideAfterHint: 'Counted from the moment the whole test was sent.',
  duration,
  chooseHint: 'The rest wait until somebody chooses on this page.',
  summary: (variants: number, percent: number) =>
    `${variants} variants to ${percent}% of the recipients; the rest get the winner`,
  states: {
    before: 'The test starts with the campaign.',
    sending: 'The test is being sent.',
    person: 'The test was sent. Choose the variant that the rest get.',
    decided: (letter: string) => `The rest get variant ${letter}.`,
    all: (letter: string) => `Everybody was in the test. Variant ${letter} did best.`,
    allSame: 'Everybody was in the test.',
  },
  decidesAt: {
    opens: 'The variant with the most opens is chosen',
    clicks: 'The variant with the most clicks is chosen',
  },
  winner: 'Winner',
  leads: 'Leads',
  name: 'Variant',
  recipients: 'Recipients',
  choose: 'Choose',
  chooseLetter: (letter: string) => `Choose variant ${letter}`,
  chooseTitle: (letter: string) => `Send variant ${letter} to the rest?`,
  chooseText: (rest: number) =>
    `${rest === 1 ? '1 recipient gets' : `${number(rest)} recipients get`} this variant. This cannot be undone.`,
  chosen: (letter: string) => `The rest get variant ${letter}`,
  testVariant: 'Variant',
};

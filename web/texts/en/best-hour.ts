import { number } from './number.ts';

/** Campaigns that each recipient gets at its best hour. */
export const bestHourTexts = {
  choice: 'At each person’s best hour',
  hint: 'The hour of the day at which a person opens and clicks most, or else that of the contact book.',
  fixed: 'Part of this campaign has already been sent, so this cannot be changed.',
  withinHours: 'Within hours',
  withinHoursHint: 'From the start. At most 24.',
  holdoutPercent: 'Control group in percent',
  holdoutHint: 'They get it at the start, so the report can compare. At most 50.',
  begin: 'Start sending',
  spread: (hours: number) => `Each at their best hour, within ${number(hours)} h`,
  title: 'Did the best hour help?',
  group: 'Group',
  best: 'At their best hour',
  holdout: 'Control group, at the start',
  noHoldout: 'There was no control group, so there is nothing to compare with.',
  tooEarly: 'Too few people have been sent it to compare the groups yet.',
  notTracked: 'Opens and clicks are not tracked in this campaign, so the groups cannot be compared.',
  verdicts: {
    opened: {
      better: (points: string) =>
        `Yes: ${points} percentage points more opened it. This is more than chance.`,
      worse: (points: string) => `No: ${points} percentage points fewer opened it. This is more than chance.`,
      same: 'Not visibly: the difference in opens is small enough to be chance.',
    },
    clicked: {
      better: (points: string) => `Yes: ${points} percentage points more clicked. This is more than chance.`,
      worse: (points: string) => `No: ${points} percentage points fewer clicked. This is more than chance.`,
      same: 'Not visibly: the difference in clicks is small enough to be chance.',
    },
  },
};

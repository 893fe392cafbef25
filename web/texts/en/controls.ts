/** The texts of the controls that many pages share: lists to choose from, dates and times. */
export const controlTexts = {
  choose: 'Choose…',
  noMatch: 'No match',
  search: 'Type to search',
  searchIn: (label: string) => `Search: ${label}`,
  openCalendar: 'Open calendar',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  time: 'Time',
  badDate: 'Enter a date such as 2 Aug 2026.',
  badTime: 'Enter a date and a time such as 2 Aug 2026, 09:30.',
  skippedTime: (time: string) => `The clocks go forward, so this time is skipped. ${time} is used.`,
  timeTwice: 'The clocks go back, so this time comes twice. The first one is used.',
  dateExample: 'e.g. 2 Aug 2026',
  timeExample: 'e.g. 2 Aug 2026, 09:30',
};

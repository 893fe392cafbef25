/** The search operators, offered as suggestions while the user types. */
import { mailTexts } from '../../../texts/en/mail.ts';

const t = mailTexts.search.operator;

export interface SearchOperator {
  /** The text that is inserted. */
  text: string;
  /** Shown in the list instead of `text`, if they differ. */
  example?: string;
  meaning: string;
}

function operatorsOn(today: string): SearchOperator[] {
  return [
    { text: 'from:', meaning: t.from },
    { text: 'to:', meaning: t.to },
    { text: 'is:unread ', meaning: t.unread },
    { text: 'has:attachment ', meaning: t.attachment },
    { text: `before:${today}`, meaning: t.before },
    { text: `after:${today}`, meaning: t.after },
    { text: '"', example: '"two words"', meaning: t.phrase },
    { text: '-', example: '-word', meaning: t.without },
  ];
}

/** Returns the operators that match the last word; all of them at the start of a word. */
export function offerOperators(text: string, now: Date): SearchOperator[] {
  const last = lastWord(text);
  const isInQuotes = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isInQuotes) return [];
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return operatorsOn(day).filter(({ text: operator }) => {
    const whole = operator.trim();
    return whole.startsWith(last.toLowerCase()) && whole !== last && !last.includes(':');
  });
}

export function withOperator(text: string, operator: SearchOperator): string {
  return text.slice(0, text.length - lastWord(text).length) + operator.text;
}

/**
 * While a day is being typed, the search waits instead of reporting an invalid date. Enter searches in any case.
 */
export function isUnfinished(text: string): boolean {
  const day = /^-?(?:before|after):(.*)$/i.exec(lastWord(text))?.[1];
  return day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day);
}

function lastWord(text: string): string {
  return text.split(/\s/).at(-1)!;
}

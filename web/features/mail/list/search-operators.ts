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
    { text: 'subject:', meaning: t.subject },
    { text: 'in:', example: 'in:archive', meaning: t.folder },
    { text: 'is:unread ', meaning: t.unread },
    { text: 'is:starred ', meaning: t.starred },
    { text: 'has:attachment ', meaning: t.attachment },
    { text: 'label:', meaning: t.withLabel },
    { text: `before:${today}`, meaning: t.before },
    { text: `after:${today}`, meaning: t.after },
    { text: 'larger:', example: 'larger:5MB', meaning: t.larger },
    { text: 'smaller:', example: 'smaller:200k', meaning: t.smaller },
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

const DAY = /^\d{4}-\d\d-\d\d$/;
/** Matches a complete value of each operator. The server would reject an incomplete one. */
const WHOLE: Record<string, RegExp> = {
  before: DAY,
  after: DAY,
  larger: /^\d+(\.\d+)?([kmg]b?|b)?$/i,
  smaller: /^\d+(\.\d+)?([kmg]b?|b)?$/i,
  is: /^(un)?read$|^starred$/i,
  has: /^attachments?$/i,
  in: /^$|^\S{4,}$/,
};

/**
 * While the value of an operator is being typed, the search waits instead of reporting a mistake. Enter always
 * searches.
 */
export function isUnfinished(text: string): boolean {
  const [, operator = '', value = ''] = /^-?([a-z]+):(.*)$/i.exec(lastWord(text)) ?? [];
  const whole = WHOLE[operator.toLowerCase()];
  return whole !== undefined && !whole.test(value);
}

function lastWord(text: string): string {
  return text.split(/\s/).at(-1)!;
}

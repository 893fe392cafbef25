/**
 * Cleans the style sheet of a message for display. Only rules with selectors and `@media` remain; `@import`,
 * `@font-face`, `@supports` and everything else with an `@` is dropped. The result contains no "<" and is written in one
 * form from checked parts. The frame is always light, so rules for dark mode are dropped and those for light mode
 * always apply.
 */
import { splitAt, splitSheet, type SheetPart } from '../style-sheet.ts';
import { cleanDeclarations } from '../display-declarations.ts';
import { cleanSelector } from '../display-selectors.ts';

/** Limits per message. Rules beyond them are left out. */
const MAX_SHEET_LENGTH = 300_000;
const MAX_RULES = 3_000;
const MAX_SELECTORS = 6_000;
const MAX_DEPTH = 3;

const MEDIA = /^@media\b/i;
const TYPE = /^(?:(?:only|not)\s+)?(?:all|screen|print)$/i;
const CONDITION = /^\( ?[a-z-]+(?: ?:[\w ./-]{1,40})?\)$/i;
const FEATURE = /\(\s*([a-z-]+)/gi;
const FEATURES =
  /^(?:(?:min-|max-)?(?:device-)?(?:width|height)|orientation|prefers-color-scheme|prefers-reduced-motion|(?:min-|max-)?resolution|-webkit-(?:min-|max-)?device-pixel-ratio)$/i;
/** Images may differ by width. Other features would tell the sender more about the reader. */
const ONLY_WIDTH = /^(?:min-|max-)?(?:device-)?width$/i;
const DARK = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/i;
const LIGHT = /\(\s*prefers-color-scheme\s*:\s*light\s*\)/gi;

interface Budget {
  rules: number;
  selectors: number;
}

export interface WrittenSheet {
  css: string;
  /** The media attribute of the style element. */
  media: string;
}

export function cleanSheets(sheets: readonly WrittenSheet[]): string {
  const budget: Budget = { rules: MAX_RULES, selectors: MAX_SELECTORS };
  let length = 0;
  const cleaned = sheets.map(({ css, media }) => {
    length += css.length;
    if (length > MAX_SHEET_LENGTH) return '';
    return media.trim() === ''
      ? cleanRules(css, { budget, images: true, depth: 0 })
      : cleanMedia(media, css, { budget, images: true, depth: 0 });
  });
  return cleaned.filter(Boolean).join('\n');
}

interface Place {
  budget: Budget;
  images: boolean;
  depth: number;
}

function cleanRules(css: string, place: Place): string {
  return splitSheet(css)
    .map((part) => ('other' in part ? cleanAtRule(part.other, place) : cleanRule(part, place)))
    .filter(Boolean)
    .join('\n');
}

function cleanAtRule(text: string, place: Place): string {
  const open = text.indexOf('{');
  if (!MEDIA.test(text) || open === -1 || place.depth >= MAX_DEPTH) return '';
  // Blocks may be left open at the end. A brace that closes nothing is left out.
  return cleanMedia(text.slice('@media'.length, open), text.slice(open + 1), place);
}

function cleanMedia(query: string, css: string, place: Place): string {
  const queries = splitAt(query.replaceAll(/\s+/g, ' '), ',')
    .filter((each) => isKnown(each) && !DARK.test(each))
    .map((each) => each.replaceAll(LIGHT, '(min-width: 0px)').toLowerCase());
  if (queries.length === 0) return '';
  const images =
    place.images && queries.every((each) => featuresOf(each).every((name) => ONLY_WIDTH.test(name)));
  const rules = cleanRules(css, { ...place, images, depth: place.depth + 1 });
  return rules && `@media ${queries.join(',')}{${rules}}`;
}

function isKnown(query: string): boolean {
  if (query.length > 200) return false;
  const [first = '', ...conditions] = query.split(/ and ?(?=\()/i);
  return (
    (TYPE.test(first) || CONDITION.test(first)) &&
    conditions.every((condition) => CONDITION.test(condition)) &&
    featuresOf(query).every((name) => FEATURES.test(name))
  );
}

function featuresOf(query: string): string[] {
  return [...query.matchAll(FEATURE)].map((found) => found[1]!);
}

function cleanRule(
  { selectors, block }: Extract<SheetPart, { block: string }>,
  { budget, images }: Place,
): string {
  if (budget.rules === 0) return '';
  const kept = selectors
    .slice(0, budget.selectors)
    .map(cleanSelector)
    .filter((selector) => selector !== null);
  const mayLoad = images && kept.every(({ isState }) => !isState);
  const declarations = kept.length === 0 ? '' : cleanDeclarations(block.slice(1, -1), { images: mayLoad });
  if (declarations === '') return '';
  budget.rules -= 1;
  budget.selectors -= kept.length;
  return `${kept.map(({ text }) => text).join(',')}{${declarations}}`;
}

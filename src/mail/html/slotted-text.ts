/**
 * Text with slots for values, conditions and loops. All personalised text is rendered here, whatever its syntax: merge
 * tags with `{% if %}` and `{% for %}`, recipient variables of Mailgun or substitutions of SendGrid. What comes out is
 * counted while it is made.
 */
import { badRequest } from '../../platform/errors.ts';
import { countRendered } from '../../platform/memory/request-meter.ts';
import { CHARACTERS_OF_STEP, type ReadValue, type SpendSteps } from './conditions.ts';

interface Slot {
  name: string;
  /** Writes the value, or what stands in the slot without one. */
  write(value: string | null): string;
  /** The fixed text after the slot. */
  after: string;
}

/** The first branch whose condition holds is rendered. */
interface Choice {
  branches: { holds(read: ReadValue, spend: SpendSteps): boolean; text: SlottedText }[];
  after: string;
}

/** Renders the text for each item of a list. Inside it, `variable` is the item. */
interface Loop {
  variable: string;
  list: string;
  limit: number;
  text: SlottedText;
  after: string;
}

export interface SlottedText {
  /** The fixed text before the first slot. */
  before: string;
  slots: (Slot | Choice | Loop)[];
}

/** More than any email app shows, and small enough to compose quickly. */
export const MAX_RENDERED_LENGTH = 5_000_000;
/** Loops inside loops could otherwise run for a long time without making any text. */
const MAX_ITERATIONS = 10_000;
/** So could many conditions and values in a loop. This takes about 100 ms. */
const MAX_STEPS = 200_000;
/** A step takes as long as rendering this many characters, which requests may do only so often. */
const CHARACTERS_FOR_STEP = 64;

interface Rendering {
  rendered: string;
  iterations: number;
  steps: number;
  spend: SpendSteps;
  countInserted(length: number): void;
}

/**
 * `valueOf` is called for every slot, including those with the same name. `countInserted` gets the length of every value
 * and may throw.
 */
export function renderSlots(
  text: SlottedText,
  valueOf: ReadValue,
  countInserted: (length: number) => void = ignore,
): string {
  const rendering: Rendering = { rendered: '', iterations: 0, steps: 0, spend, countInserted };
  function spend(steps: number): void {
    rendering.steps += steps;
    if (rendering.steps > MAX_STEPS)
      throw badRequest(
        `The loops, conditions and values of a text must not take more than ${MAX_STEPS} steps. Use fewer of them inside loops.`,
      );
  }
  renderInto(rendering, text, valueOf);
  countRendered(rendering.steps * CHARACTERS_FOR_STEP);
  return rendering.rendered;
}

function ignore(): void {}

function renderInto(rendering: Rendering, { before, slots }: SlottedText, read: ReadValue): void {
  append(rendering, before);
  const { spend } = rendering;
  for (const slot of slots) {
    spend(1);
    if ('write' in slot) {
      const value = toText(read(slot.name));
      if (value) rendering.countInserted(value.length);
      if (value) spend(Math.floor(value.length / CHARACTERS_OF_STEP));
      append(rendering, slot.write(value));
    } else if ('branches' in slot) {
      const branch = slot.branches.find((each) => each.holds(read, spend));
      if (branch) renderInto(rendering, branch.text, read);
    } else {
      renderLoop(rendering, slot, read);
    }
    append(rendering, slot.after);
  }
}

function renderLoop(rendering: Rendering, { variable, list, limit, text }: Loop, read: ReadValue): void {
  const items = read(list);
  if (!Array.isArray(items)) return;
  for (const item of items.slice(0, limit) as unknown[]) {
    if (++rendering.iterations > MAX_ITERATIONS)
      throw badRequest(`The loops of a text must not run more than ${MAX_ITERATIONS} times.`);
    renderInto(rendering, text, (name) =>
      isBelow(name, variable) ? readPath(item, name.slice(variable.length + 1)) : read(name),
    );
  }
}

function append(rendering: Rendering, added: string): void {
  countRendered(added.length);
  if (rendering.rendered.length + added.length > MAX_RENDERED_LENGTH)
    throw badRequest(`With its values filled in, the text is longer than ${MAX_RENDERED_LENGTH} characters.`);
  rendering.rendered += added;
}

/** Null when there is no value. Lists and objects are shown as JSON. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  return JSON.stringify(value) ?? null;
}

/** True for `item` and `item.title`, with the variable `item`. */
function isBelow(name: string, variable: string): boolean {
  return name.startsWith(variable) && (name.length === variable.length || name[variable.length] === '.');
}

/** Reads `order.total` from nested objects. An empty path is the value itself. Only own properties are read. */
export function readPath(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path === '' ? [] : path.split('.')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return null;
    found = Object.hasOwn(found, key) ? (found as Record<string, unknown>)[key] : null;
  }
  return found ?? null;
}

/** Applies a transfer encoding that works piece by piece to the fixed text, and to values when they are written. */
export function encodeSlots({ before, slots }: SlottedText, encode: (text: string) => string): SlottedText {
  return {
    before: encode(before),
    slots: slots.map((slot) => {
      const after = encode(slot.after);
      if ('write' in slot) return { ...slot, write: (value) => encode(slot.write(value)), after };
      if ('text' in slot) return { ...slot, text: encodeSlots(slot.text, encode), after };
      const branches = slot.branches.map((each) => ({ ...each, text: encodeSlots(each.text, encode) }));
      return { branches, after };
    }),
  };
}

/**
 * Text with slots for values. All personalised text is rendered here, whatever its syntax: merge tags, recipient
 * variables of Mailgun or substitutions of SendGrid. What comes out is counted while it is made.
 */
import { badRequest } from '../../platform/errors.ts';
import { countRendered } from '../../platform/memory/request-meter.ts';

interface Slot {
  name: string;
  /** Writes the value, or what stands in the slot without one. */
  write(value: string | null): string;
  /** The fixed text after the slot. */
  after: string;
}

export interface SlottedText {
  /** The fixed text before the first slot. */
  before: string;
  slots: Slot[];
}

/** More than any email app shows, and small enough to compose quickly. */
export const MAX_RENDERED_LENGTH = 5_000_000;

/** `valueOf` is called for every slot, including those with the same name. */
export function renderSlots(
  { before, slots }: SlottedText,
  valueOf: (name: string) => string | null,
): string {
  let rendered = before;
  countRendered(before.length);
  for (const { name, write, after } of slots) {
    const value = write(valueOf(name));
    const added = value.length + after.length;
    countRendered(added);
    if (rendered.length + added > MAX_RENDERED_LENGTH)
      throw badRequest(
        `With its values filled in, the text is longer than ${MAX_RENDERED_LENGTH} characters.`,
      );
    rendered += value + after;
  }
  return rendered;
}

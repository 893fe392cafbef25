/** What `feed` stands for in the content of a campaign that was made from a feed. */
import { readPath } from '../../mail/html/slotted-text.ts';

export interface ShownItem {
  title: string;
  url: string;
  /** Plain text. */
  summary: string;
  /** The URL of an image, or an empty text. */
  image: string;
  /** The day, as 2026-11-15, or an empty text. */
  date: string;
}

export interface FeedValues {
  title: string;
  url: string;
  items: ShownItem[];
}

const ROOT = 'feed';

export function isFeedName(name: string): boolean {
  return name === ROOT || name.startsWith(`${ROOT}.`);
}

/** Returns null for a campaign that was not made from a feed, and for names that a feed does not have. */
export function readFeedValue(feed: FeedValues | null, name: string): unknown {
  return feed && isFeedName(name) ? readPath({ [ROOT]: feed }, name) : null;
}

/** What the spam filter says about a message for one mailbox. */
export interface SpamVerdict {
  score: number;
  /** Sentences, the weightiest first. */
  reasons: string[];
  /** The findings of rspamd, by their names. Empty for the built-in filter. */
  symbols: { name: string; score: number }[];
  isSpam: boolean;
}

export type StoredSpam = Omit<SpamVerdict, 'isSpam'>;

export function toStored({ score, reasons, symbols }: SpamVerdict): StoredSpam {
  return { score, reasons, symbols };
}

export interface Finding {
  mark: 'fine' | 'warning' | 'failure';
  about: string;
  words: string;
  /** What to do about it. */
  advice?: string;
}

export function fine(about: string, words: string): Finding {
  return { mark: 'fine', about, words };
}

export function warning(about: string, words: string, advice: string): Finding {
  return { mark: 'warning', about, words, advice };
}

export function failure(about: string, words: string, advice: string): Finding {
  return { mark: 'failure', about, words, advice };
}

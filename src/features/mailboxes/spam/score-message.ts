/**
 * The built-in score. Mail is spam from 6 points, which takes at least two independent reasons, or much that the team has
 * taught. Mail of people that the mailbox has written to is never spam.
 */
import { round } from '../../../mail/spam/rspamd.ts';
import type { Taught } from './learned-words.ts';
import type { SenderHistory } from './read-history.ts';
import type { SpamVerdict } from './verdict.ts';
import { spamProbability } from './word-score.ts';

export const SPAM_FROM = 6;

export interface ScoredMessage {
  authentication: { spf: string; dkim: string; dmarc: string };
  /** DMARC has failed, and the policy of the domain says that such mail is unwanted. */
  isUnwanted: boolean;
  ip: string;
  authorDomain: string | null;
  /** The blocklists that have the sending server, and those that have the domain of the author. */
  listings: { server: string[]; domain: string[] };
  history: SenderHistory;
  /** What the team has taught about the sender and the words. Null: nothing. */
  taught: Taught | null;
}

interface Reason {
  points: number;
  sentence: string;
}

export function scoreMessage(message: ScoredMessage): SpamVerdict {
  const { history, taught, isUnwanted } = message;
  const reasons = [
    ...judgeSender(message),
    ...judgeListings(message.listings),
    ...judgeHistory(history, taught),
    ...(taught ? judgeWords(taught) : []),
  ].toSorted((one, other) => Math.abs(other.points) - Math.abs(one.points));
  const sum = reasons.reduce((total, { points }) => total + points, 0);
  return {
    score: round(isUnwanted ? Math.max(sum, SPAM_FROM) : sum),
    reasons: reasons.map(({ sentence }) => sentence),
    symbols: [],
    isSpam: isUnwanted || (sum >= SPAM_FROM && !history.isCorrespondent),
  };
}

function judgeSender({ authentication, isUnwanted, ip, authorDomain }: ScoredMessage): Reason[] {
  const { spf, dkim, dmarc } = authentication;
  const of = authorDomain ? ` of ${authorDomain.slice(0, 253)}` : '';
  if (isUnwanted)
    return [
      {
        points: SPAM_FROM,
        sentence: `It does not come from its sender: the DMARC policy${of} says that such mail is unwanted.`,
      },
    ];
  const reasons: Reason[] = [];
  if (dmarc === 'pass') reasons.push({ points: -0.5, sentence: 'It comes from its sender (DMARC).' });
  if (dmarc === 'fail')
    reasons.push({ points: 1.5, sentence: `It may not come from its sender: DMARC${of} has failed.` });
  if (spf === 'fail')
    reasons.push({
      points: 1.5,
      sentence: `The server ${ip} may not send for the domain of the sender (SPF).`,
    });
  if (spf !== 'pass' && spf !== 'fail' && dkim !== 'pass')
    reasons.push({ points: 1, sentence: 'Nothing proves who sent it: neither SPF nor DKIM has passed.' });
  return reasons;
}

const MAX_LISTS = 3;

function nameLists(zones: string[]): string {
  return zones.slice(0, MAX_LISTS).join(', ');
}

function judgeListings({ server, domain }: ScoredMessage['listings']): Reason[] {
  return [
    ...(server.length > 0
      ? [
          {
            points: Math.min(server.length, 2) * 3,
            sentence: `The server that sent it is on a blocklist (${nameLists(server)}).`,
          },
        ]
      : []),
    ...(domain.length > 0
      ? [{ points: 3, sentence: `The domain of the sender is on a blocklist (${nameLists(domain)}).` }]
      : []),
  ];
}

function judgeHistory({ isCorrespondent, kept, isFirst }: SenderHistory, taught: Taught | null): Reason[] {
  if (isCorrespondent) return [{ points: -5, sentence: 'Someone here has written to this sender before.' }];
  const sender = taught?.sender ?? { spam: 0, ham: 0 };
  const moved = sender.spam - sender.ham;
  if (moved > 0)
    return [
      { points: moved > 1 ? SPAM_FROM : 3.5, sentence: 'Mail of this sender was moved to spam before.' },
    ];
  if (sender.ham > 0) return [{ points: -3, sentence: 'Mail of this sender was moved out of spam before.' }];
  if (kept > 0) return [{ points: -2, sentence: 'Earlier mail of this sender was kept.' }];
  return isFirst ? [{ points: 0.5, sentence: 'It is the first mail of this sender.' }] : [];
}

/** By the number of learned messages of the kind that is rarer. */
const WORD_POINTS: [learned: number, points: number][] = [
  [20, 6.5],
  [10, 5.5],
  [5, 5],
  [0, 4],
];

export function judgeWords({ learned, words }: Pick<Taught, 'learned' | 'words'>): Reason[] {
  const probability = spamProbability(learned, words);
  if (probability === null) return [];
  const full = WORD_POINTS.find(([count]) => Math.min(learned.spam, learned.ham) >= count)![1];
  const sentence = 'Its words are like those of mail that was moved to spam.';
  if (probability > 0.95) return [{ points: full, sentence }];
  if (probability > 0.9) return [{ points: full / 2, sentence }];
  if (probability < 0.1) return [{ points: -2, sentence: 'Its words are like those of mail that is kept.' }];
  return [];
}

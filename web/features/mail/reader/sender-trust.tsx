/** Shows whether the sender is verified. DMARC is the check that applies to the displayed address. */
import { CircleHelp, ShieldAlert, ShieldCheck } from 'lucide-react';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { domainOf } from '../parts/people.ts';

const t = mailTexts.trust;

function judge(message: Message) {
  const domain = domainOf(message.from);
  if (domain === '') return { icon: ShieldAlert, tone: 'text-bad', words: t.noSender, why: t.noSenderText };
  switch (message.authentication!.dmarc) {
    case 'pass':
      return { icon: ShieldCheck, tone: 'text-good', words: t.pass(domain), why: t.passText(domain) };
    case 'fail':
      return { icon: ShieldAlert, tone: 'text-bad', words: t.fail(domain), why: t.failText(domain) };
    case 'temperror':
      return { icon: CircleHelp, tone: 'text-soft', words: t.later(domain), why: t.laterText };
    default:
      return { icon: CircleHelp, tone: 'text-soft', words: t.unknown(domain), why: t.unknownText(domain) };
  }
}

export function SenderTrust({ message }: { message: Message }) {
  // A sender that cannot be checked is worth a word only if the mailbox does not know it.
  const isUnverified = message.warnings.some(({ kind }) => kind === 'unverified');
  if (
    !message.authentication ||
    (message.authentication.dmarc !== 'pass' && !isUnverified && message.from !== '')
  )
    return null;
  const { icon: Icon, tone, words, why } = judge(message);
  const isForged = message.authentication.dmarc === 'fail';
  return (
    <details
      className={classes(
        'text-[0.8125rem] open:w-full',
        isForged && 'w-full rounded-lg bg-bad-tint px-3 py-2',
      )}
    >
      <summary className={classes('flex w-fit cursor-pointer list-none items-center gap-1.5 rounded', tone)}>
        <Icon aria-hidden className="size-4 shrink-0" />
        {words}
      </summary>
      <p className={classes('mt-1', isForged ? 'text-bad' : 'text-soft')}>{why}</p>
      <dl aria-label={t.results} className="mt-1 flex flex-wrap gap-x-4 text-soft">
        {(['spf', 'dkim', 'dmarc', 'arc'] as const).map((name) => (
          <div key={name} className="flex gap-1">
            <dt className="uppercase">{name}</dt>
            <dd>{t.verdicts[message.authentication![name]] ?? message.authentication![name]}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

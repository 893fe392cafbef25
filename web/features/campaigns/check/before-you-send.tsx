/**
 * Shows the findings of the check: problems that block the campaign, warnings for its author, and everything that is
 * fine.
 */
import { CircleAlert, CircleCheck, Info, LoaderCircle, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type {
  CampaignCheck,
  CampaignFinding,
} from '../../../../src/features/campaigns/check/check.schema.ts';
import { checkTexts } from '../../../texts/en/check.ts';
import { joinFindings, type JoinedFinding } from './join-findings.ts';
import type { RunningCheck } from './use-campaign-check.ts';

const t = checkTexts;

const LOOKS: Record<CampaignFinding['level'], { icon: LucideIcon; tone: string; box: string }> = {
  blocks: { icon: CircleAlert, tone: 'text-bad', box: 'bg-bad-tint' },
  warning: { icon: TriangleAlert, tone: 'text-warn', box: 'bg-warn-tint' },
  advice: { icon: Info, tone: 'text-soft', box: '' },
};

export function BeforeYouSend({ check, isAsking, hasFailed }: RunningCheck) {
  return (
    <section aria-label={t.title} className="rounded-lg border border-line">
      <h3 className="border-b border-line px-4 py-2.5 font-semibold">{t.title}</h3>
      <ul className="divide-y divide-line" aria-live="polite">
        {joinFindings(check?.findings ?? []).map((finding) => (
          <FindingRow key={`${finding.code} ${finding.variants.join(' ')}`} finding={finding} />
        ))}
        {!check && !hasFailed && <Row icon={LoaderCircle} tone="text-soft" spins text={t.running} />}
        {check && <FineRows check={check} isAsking={isAsking} />}
        {hasFailed && <Row icon={TriangleAlert} tone="text-warn" text={t.failed} />}
      </ul>
    </section>
  );
}

/** Checks that found no problem. */
function FineRows({ check, isAsking }: { check: CampaignCheck; isAsking: boolean }) {
  const { links, sender, htmlBytes, findings, spam, oneClick } = check;
  const working = links.filter(({ state }) => state === 'ok').length;
  const isNamed = (code: CampaignFinding['code']) => findings.some((finding) => finding.code === code);
  const isAligned = (sender.dkimAligned || sender.spfAligned) && sender.dmarcRecord;
  return (
    <>
      {isAsking && links.length > 0 && (
        <Row icon={LoaderCircle} tone="text-soft" spins text={t.asking(links.length)} />
      )}
      {working > 0 && <Row icon={CircleCheck} tone="text-good" text={t.linksWork(working)} />}
      {isAligned && <Row icon={CircleCheck} tone="text-good" text={t.aligned(sender.domain)} />}
      {htmlBytes > 0 && !isNamed('too_large') && !isNamed('nearly_too_large') && (
        <Row icon={CircleCheck} tone="text-good" text={t.size(Math.ceil(htmlBytes / 1024))} />
      )}
      {spam && !isNamed('spam_score') && (
        <Row icon={CircleCheck} tone="text-good" text={t.spam(spam.score, spam.spamFrom)} />
      )}
      {oneClick && <Row icon={CircleCheck} tone="text-good" text={t.oneClick} />}
    </>
  );
}

function FindingRow({ finding }: { finding: JoinedFinding }) {
  const { icon, tone, box } = LOOKS[finding.level];
  const { code, message, variants, places, level } = finding;
  const text = (
    <>
      <span className="sr-only">{t.levels[level]}: </span>
      {variants.length > 0 && t.variants(variants.map((variant) => 'ABCD'[variant]!))}
      {t.finding(code, message)}
    </>
  );
  return (
    <Row icon={icon} tone={tone} box={box} text={text}>
      {places.length > 0 && (
        <details className="mt-1">
          <summary className="w-fit cursor-pointer rounded text-soft hover:text-ink">
            {t.places(places.length)}
          </summary>
          <ul className="mt-1 space-y-0.5">
            {places.map((place) => (
              <li key={place} className="font-mono text-[0.8125rem] break-all text-soft">
                {place}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Row>
  );
}

interface RowProps {
  icon: LucideIcon;
  tone: string;
  box?: string;
  spins?: boolean;
  text: ReactNode;
  children?: ReactNode;
}

function Row({ icon: Icon, tone, box = '', spins = false, text, children }: RowProps) {
  return (
    <li className={`flex gap-3 px-4 py-2.5 ${box}`}>
      <Icon
        aria-hidden
        className={`mt-0.5 size-4 shrink-0 ${tone} ${spins ? 'motion-safe:animate-spin' : ''}`}
      />
      <div className="min-w-0 flex-1 break-words">
        {text}
        {children}
      </div>
    </li>
  );
}

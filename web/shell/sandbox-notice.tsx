/** Says on a page or in a dialog that emails are captured, where someone might expect them to arrive. */
import { FlaskConical } from 'lucide-react';
import { useIsSandbox } from '../api/instance.ts';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { GuideLink } from '../ui/guide-link.tsx';

const t = texts.common.sandbox;

interface SandboxNoticeProps {
  /** What happens here, after the sentence that holds everywhere. */
  children?: string;
  className?: string;
}

export function SandboxNotice({ children, className }: SandboxNoticeProps) {
  if (!useIsSandbox()) return null;
  return (
    <p className={classes('flex gap-2 rounded-lg bg-info-tint px-4 py-3 text-info', className)}>
      <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        {t.pill}. {children} <GuideLink guide="guides/going-live">{t.goLive}</GuideLink>
      </span>
    </p>
  );
}

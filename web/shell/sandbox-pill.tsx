/** Says on every page that no mail leaves the server, and leads to the guide for going live. */
import { useIsSandbox } from '../api/instance.ts';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { GuideLink } from '../ui/guide-link.tsx';

export function SandboxPill({ className }: { className?: string }) {
  if (!useIsSandbox()) return null;
  return (
    <GuideLink
      guide="guides/going-live"
      className={classes(
        'rounded-lg bg-info-tint px-2 py-1 text-[0.6875rem] text-info hover:underline',
        className,
      )}
    >
      {texts.common.sandbox.pill}
    </GuideLink>
  );
}

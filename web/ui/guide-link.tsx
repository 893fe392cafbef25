import { texts } from '../texts/en.ts';
import { classes } from './classes.ts';

/** The names of pages below /docs. */
export type Guide =
  | 'guides/api-changes'
  | 'guides/assistants'
  | 'guides/campaigns'
  | 'guides/domains-and-dns'
  | 'guides/first-email'
  | 'guides/going-live'
  | 'guides/moving-here'
  | 'guides/receiving-mail'
  | 'guides/webhooks'
  | 'guides/welcome-series';

/** Opens a guide in a new tab, so that nothing on the page is lost. */
export function GuideLink({ guide, children = texts.common.learnMore, className }: GuideLinkProps) {
  return (
    <a
      href={`/docs/${guide}`}
      target="_blank"
      rel="noreferrer"
      className={classes('rounded font-medium', className ?? 'underline')}
    >
      {children}
    </a>
  );
}

interface GuideLinkProps {
  guide: Guide;
  children?: string;
  className?: string;
}

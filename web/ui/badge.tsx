import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Tone = 'neutral' | 'good' | 'info' | 'warn' | 'bad';

const TONES: Record<Tone, string> = {
  neutral: 'bg-hover text-soft',
  good: 'bg-good-tint text-good',
  info: 'bg-info-tint text-info',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-block max-w-full truncate rounded-md px-1.5 py-0.5 align-middle text-xs font-medium',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

import {
  CircleStop,
  Flag,
  GitFork,
  Hourglass,
  Inbox,
  Mail,
  Shuffle,
  Timer,
  UserPen,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import type { StepType } from '../steps/tree.ts';

/** In the order in which they are offered. */
export const STEP_ICONS: Record<StepType, LucideIcon> = {
  email: Mail,
  delay: Timer,
  wait: Hourglass,
  condition: GitFork,
  split: Shuffle,
  update: UserPen,
  thread: Inbox,
  webhook: Webhook,
  goal: Flag,
  exit: CircleStop,
};
export const STEP_TYPES = Object.keys(STEP_ICONS) as StepType[];

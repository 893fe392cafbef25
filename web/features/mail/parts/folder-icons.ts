import {
  AlarmClock,
  Archive,
  Clock,
  File,
  Inbox,
  OctagonAlert,
  Send,
  Star,
  Trash2,
  UserRound,
  UserRoundX,
  type LucideIcon,
} from 'lucide-react';
import type { FOLDERS } from '../live/mail-api.ts';

export const FOLDER_ICONS: Record<(typeof FOLDERS)[number], LucideIcon> = {
  starred: Star,
  inbox: Inbox,
  mine: UserRound,
  unassigned: UserRoundX,
  snoozed: AlarmClock,
  drafts: File,
  scheduled: Clock,
  sent: Send,
  archive: Archive,
  spam: OctagonAlert,
  trash: Trash2,
};

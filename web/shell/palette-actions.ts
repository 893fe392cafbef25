/** What the command palette can do, beside going to pages. */
import {
  BookUser,
  Filter,
  Globe,
  KeyRound,
  LayoutTemplate,
  Megaphone,
  PenLine,
  Tags,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { texts } from '../texts/en.ts';

const t = texts.shell.actions;

export interface PaletteAction {
  name: string;
  icon: LucideIcon;
  /** The page whose dialog it opens; null composes a message. */
  to: string | null;
  adminsOnly?: boolean;
}

export const PALETTE_ACTIONS: readonly PaletteAction[] = [
  { name: t.compose, icon: PenLine, to: null },
  { name: t.campaign, icon: Megaphone, to: '/campaigns' },
  { name: t.template, icon: LayoutTemplate, to: '/templates' },
  { name: t.book, icon: BookUser, to: '/contact-books' },
  { name: t.segment, icon: Filter, to: '/segments' },
  { name: t.topic, icon: Tags, to: '/topics' },
  { name: t.domain, icon: Globe, to: '/domains', adminsOnly: true },
  { name: t.apiKey, icon: KeyRound, to: '/api-keys', adminsOnly: true },
  { name: t.webhook, icon: Webhook, to: '/webhooks', adminsOnly: true },
];

/** The actions of the command palette, besides going to pages. */
import {
  Ban,
  BookUser,
  Filter,
  Globe,
  KeyRound,
  LayoutTemplate,
  Megaphone,
  PenLine,
  Rss,
  Send,
  ShieldCheck,
  SquarePen,
  Tags,
  UserPlus,
  Webhook,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { texts } from '../texts/en.ts';

const t = texts.shell.actions;

export interface PaletteAction {
  name: string;
  /** Other words by which it is found. */
  words: string;
  icon: LucideIcon;
  /** The page whose dialog it opens; null opens a composer. */
  to: string | null;
  adminsOnly?: boolean;
}

export const PALETTE_ACTIONS: readonly PaletteAction[] = [
  { name: t.compose, words: t.words.compose, icon: PenLine, to: null },
  { name: t.campaign, words: t.words.create, icon: Megaphone, to: '/campaigns' },
  { name: t.automation, words: t.words.create, icon: Workflow, to: '/automations' },
  { name: t.template, words: t.words.create, icon: LayoutTemplate, to: '/templates' },
  { name: t.book, words: t.words.create, icon: BookUser, to: '/contact-books' },
  { name: t.segment, words: t.words.create, icon: Filter, to: '/segments' },
  { name: t.topic, words: t.words.create, icon: Tags, to: '/topics' },
  { name: t.form, words: t.words.create, icon: SquarePen, to: '/forms' },
  { name: t.feed, words: t.words.create, icon: Rss, to: '/feeds' },
  { name: t.testEmail, words: t.words.testEmail, icon: Send, to: '/emails' },
  { name: t.suppression, words: t.words.create, icon: Ban, to: '/suppressions' },
  { name: t.domain, words: t.words.create, icon: Globe, to: '/domains', adminsOnly: true },
  { name: t.apiKey, words: t.words.create, icon: KeyRound, to: '/api-keys', adminsOnly: true },
  { name: t.webhook, words: t.words.create, icon: Webhook, to: '/webhooks', adminsOnly: true },
  { name: t.policy, words: t.words.create, icon: ShieldCheck, to: '/policies', adminsOnly: true },
  { name: t.invite, words: t.words.invite, icon: UserPlus, to: '/team', adminsOnly: true },
];

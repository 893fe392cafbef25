/** All entries of the sidebar and the command palette. */
import {
  AtSign,
  Ban,
  BookUser,
  ChartSpline,
  Filter,
  FlaskConical,
  History,
  Globe,
  Hourglass,
  Images,
  KeyRound,
  LayoutTemplate,
  Megaphone,
  Mail,
  MailQuestionMark,
  Palette,
  Settings,
  Rss,
  ScrollText,
  ShieldCheck,
  SquarePen,
  Tags,
  Users,
  Webhook,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { texts } from '../texts/en.ts';

interface Place {
  to: string;
  name: string;
  icon: LucideIcon;
  /** Other words by which the palette finds it. */
  words?: string;
  /** Hidden from members. */
  adminsOnly?: boolean;
}

const { pages, groups, actions } = texts.shell;
const { words } = actions;

export const NAVIGATION: readonly { name: string | null; places: readonly Place[] }[] = [
  {
    name: null,
    places: [
      { to: '/', name: pages.overview, icon: ChartSpline },
      { to: '/mail', name: pages.mail, icon: Mail },
    ],
  },
  {
    name: groups.sending,
    places: [
      { to: '/emails', name: pages.emails, icon: AtSign },
      { to: '/approvals', name: pages.approvals, icon: MailQuestionMark, adminsOnly: true },
      { to: '/queue', name: pages.queue, icon: Hourglass, adminsOnly: true },
      { to: '/campaigns', name: pages.campaigns, icon: Megaphone },
      { to: '/automations', name: pages.automations, icon: Workflow },
      { to: '/templates', name: pages.templates, icon: LayoutTemplate },
      { to: '/media', name: pages.media, icon: Images, words: words.media },
      { to: '/domains', name: pages.domains, icon: Globe },
      { to: '/suppressions', name: pages.suppressions, icon: Ban },
      { to: '/sandbox', name: pages.sandbox, icon: FlaskConical },
    ],
  },
  {
    name: groups.audience,
    places: [
      { to: '/contact-books', name: pages.contactBooks, icon: BookUser },
      { to: '/segments', name: pages.segments, icon: Filter },
      { to: '/topics', name: pages.topics, icon: Tags },
      { to: '/forms', name: pages.forms, icon: SquarePen },
      { to: '/feeds', name: pages.feeds, icon: Rss },
    ],
  },
  {
    name: groups.developers,
    places: [
      { to: '/api-keys', name: pages.apiKeys, icon: KeyRound, adminsOnly: true },
      { to: '/policies', name: pages.policies, icon: ShieldCheck, words: words.policies, adminsOnly: true },
      { to: '/logs', name: pages.logs, icon: ScrollText, adminsOnly: true },
      { to: '/webhooks', name: pages.webhooks, icon: Webhook, adminsOnly: true },
    ],
  },
  {
    name: groups.team,
    places: [
      { to: '/team', name: pages.team, icon: Users },
      { to: '/brand', name: pages.brand, icon: Palette, adminsOnly: true },
      { to: '/audit', name: pages.audit, icon: History, adminsOnly: true },
      { to: '/settings', name: pages.settings, icon: Settings, words: words.settings },
    ],
  },
];

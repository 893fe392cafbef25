/** Every place of the app that the sidebar and the palette lead to. */
import {
  AtSign,
  Ban,
  BookUser,
  ChartSpline,
  Filter,
  FlaskConical,
  Globe,
  KeyRound,
  LayoutTemplate,
  Megaphone,
  Mail,
  Settings,
  Tags,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { texts } from '../texts/en.ts';

interface Place {
  to: string;
  name: string;
  icon: LucideIcon;
  /** Not for members. */
  adminsOnly?: boolean;
}

const { pages, groups } = texts.shell;

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
      { to: '/campaigns', name: pages.campaigns, icon: Megaphone },
      { to: '/templates', name: pages.templates, icon: LayoutTemplate },
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
    ],
  },
  {
    name: groups.developers,
    places: [
      { to: '/api-keys', name: pages.apiKeys, icon: KeyRound, adminsOnly: true },
      { to: '/webhooks', name: pages.webhooks, icon: Webhook, adminsOnly: true },
    ],
  },
  {
    name: groups.team,
    places: [
      { to: '/team', name: pages.team, icon: Users },
      { to: '/settings', name: pages.settings, icon: Settings },
    ],
  },
];

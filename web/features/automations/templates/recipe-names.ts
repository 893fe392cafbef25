/** The templates of automations. Their steps are loaded when someone creates one (recipes.ts). */
import {
  Cake,
  Hourglass,
  MessageCircleQuestion,
  PartyPopper,
  Reply,
  ShoppingCart,
  Star,
  Undo2,
  type LucideIcon,
} from 'lucide-react';

export const RECIPES = [
  'welcome',
  'trial',
  'abandoned',
  'winBack',
  'review',
  'birthday',
  'feedback',
  'followUp',
] as const;
export type RecipeName = (typeof RECIPES)[number] | 'blank';

export const RECIPE_ICONS: Record<(typeof RECIPES)[number], LucideIcon> = {
  welcome: PartyPopper,
  trial: Hourglass,
  abandoned: ShoppingCart,
  winBack: Undo2,
  review: Star,
  birthday: Cake,
  feedback: MessageCircleQuestion,
  followUp: Reply,
};

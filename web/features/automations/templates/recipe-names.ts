/** The templates of automations. Their steps are loaded when someone creates one (recipes.ts). */
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

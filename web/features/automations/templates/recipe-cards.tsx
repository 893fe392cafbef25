/** The templates to begin with, on the page without automations. */
import {
  Cake,
  HeartHandshake,
  Hourglass,
  MessageCircleQuestion,
  PartyPopper,
  Plus,
  Reply,
  ShoppingCart,
  Star,
  type LucideIcon,
} from 'lucide-react';
import { automationRecipeTexts } from '../../../texts/en/automation-recipes.ts';
import { RECIPES, type RecipeName } from './recipe-names.ts';

const t = automationRecipeTexts.recipes;

const ICONS: Record<RecipeName, LucideIcon> = {
  welcome: PartyPopper,
  trial: Hourglass,
  abandoned: ShoppingCart,
  winBack: HeartHandshake,
  review: Star,
  birthday: Cake,
  feedback: MessageCircleQuestion,
  followUp: Reply,
  blank: Plus,
};

export function RecipeCards({ onChoose }: { onChoose(name: RecipeName): void }) {
  return (
    <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {([...RECIPES, 'blank'] as const).map((name) => {
        const Icon = ICONS[name];
        return (
          <li key={name}>
            <button
              type="button"
              onClick={() => onChoose(name)}
              className="flex h-full w-full items-start gap-3 rounded-xl border border-line bg-raised p-4 text-left hover:border-edge hover:bg-hover/40"
            >
              <span className="inline-flex size-8 shrink-0 items-center justify-center rounded-lg bg-hover text-soft">
                <Icon aria-hidden className="size-4" />
              </span>
              <span className="min-w-0">
                <span className="block font-medium">{t[name].name}</span>
                <span className="block text-note text-soft">{t[name].note}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

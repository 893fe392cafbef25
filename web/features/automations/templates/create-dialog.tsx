import { useNavigate } from '@tanstack/react-router';
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import type { ContactBook } from '../../../../src/features/audience/contact-books/contact-books.schema.ts';
import { refresh } from '../../../api/query-client.ts';
import { sendOnce } from '../../../api/send-once.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationRecipeTexts } from '../../../texts/en/automation-recipes.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { OWN_ZONE } from '../../../ui/dates/time-zone.ts';
import { optionsOf, SelectField, TextField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { useSender } from '../data/use-choices.ts';
import { RECIPES, type RecipeName } from './recipe-names.ts';
import { makeRecipe } from './recipes.ts';

const t = automationTexts;

interface CreateDialogProps {
  books: readonly ContactBook[];
  /** The template that is chosen first. */
  recipe: RecipeName;
  onClose(): void;
}

export function CreateDialog({ books, recipe, onClose }: CreateDialogProps) {
  const navigate = useNavigate();
  const sender = useSender();
  const form = useForm(
    { name: null as string | null, contactBookId: books[0]!.id, recipe },
    async ({ contactBookId }) => {
      const input = { name, contactBookId, timezone: OWN_ZONE, ...makeRecipe(chosen, sender) };
      const automation = await sendOnce<Automation>('/automations', input);
      await refresh('automations');
      await navigate({ to: '/automations/$automationId', params: { automationId: automation.id } });
    },
  );
  const chosen = form.values.recipe;
  const name = form.values.name ?? (chosen === 'blank' ? '' : automationRecipeTexts.recipes[chosen].name);
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <SelectField
        label={t.template}
        hint={automationRecipeTexts.recipes[chosen].note}
        value={chosen}
        options={([...RECIPES, 'blank'] as const).map((each) => [
          each,
          automationRecipeTexts.recipes[each].name,
        ])}
        onChange={({ target }) => form.set({ recipe: target.value as RecipeName })}
      />
      <TextField
        label={t.name}
        value={name}
        error={form.errorOf('name')}
        onChange={({ target }) => form.set({ name: target.value })}
        required
        maxLength={200}
      />
      <SelectField
        label={t.book}
        hint={t.bookHint}
        {...form.text('contactBookId')}
        options={optionsOf(books)}
      />
    </FormDialog>
  );
}

/** The left side of the builder: the fields, texts and colors of the form. */
import { useQuery } from '@tanstack/react-query';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { FormColor, FormText } from '../../../src/features/audience/forms/forms.schema.ts';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { getAll } from '../../api/pages.ts';
import { formTexts } from '../../texts/en/forms.ts';
import { CheckboxField, optionsOf, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FormError, type Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { ColorField } from './color-field.tsx';
import { FieldList } from './field-list.tsx';
import type { FormValues } from './form-values.ts';

const t = formTexts;
const LONG: readonly FormText[] = ['description', 'note', 'thankYou'];
const TEXTS = Object.keys(t.textNames) as FormText[];
const COLORS = Object.keys(t.colorNames) as FormColor[];

interface FormSettingsProps {
  form: Form<FormValues>;
  books: readonly ContactBook[];
}

export function FormSettings({ form, books }: FormSettingsProps) {
  const { values } = form;
  const book = books.find(({ id }) => id === values.contactBookId);
  return (
    <>
      <Section title={t.settings}>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField label={t.name} {...form.text('name')} required />
          <SelectField label={t.book} {...form.text('contactBookId')} options={optionsOf(books)} />
          <SelectField label={t.language} {...form.text('language')} options={Object.entries(t.languages)} />
        </div>
      </Section>
      <Section title={t.fields} description={t.fieldsLead}>
        <FieldList
          fields={values.fields}
          variables={book?.variables ?? []}
          error={form.errorOf('fields')}
          onChange={(fields) => form.set({ fields })}
        />
      </Section>
      <TopicChoice chosen={values.topicIds} onChange={(topicIds) => form.set({ topicIds })} />
      <Section title={t.texts} description={t.textsLead}>
        <div className="grid gap-4">
          {TEXTS.map((name) => {
            const Field = LONG.includes(name) ? TextAreaField : TextField;
            return (
              <Field
                key={name}
                label={t.textNames[name]}
                value={values.texts[name]}
                error={form.errorOf(`texts/${name}`)}
                onChange={({ target }: { target: { value: string } }) =>
                  form.set({ texts: { ...values.texts, [name]: target.value } })
                }
              />
            );
          })}
          <TextField
            type="url"
            label={t.redirectUrl}
            hint={t.redirectHint}
            placeholder="https://"
            {...form.text('redirectUrl')}
          />
        </div>
      </Section>
      <Section title={t.colors} description={t.colorsLead}>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          {COLORS.map((name) => (
            <ColorField
              key={name}
              label={t.colorNames[name]}
              value={values.colors[name]}
              error={form.errorOf(`colors/${name}`)}
              onChange={(color) => form.set({ colors: { ...values.colors, [name]: color } })}
            />
          ))}
        </div>
      </Section>
      <FormError error={form.errorBeside()} />
    </>
  );
}

/** Shows nothing if there are no topics. */
function TopicChoice({ chosen, onChange }: { chosen: string[]; onChange(topicIds: string[]): void }) {
  const { data: topics = [] } = useQuery({
    queryKey: ['topics', 'all'],
    queryFn: () => getAll<Topic>('/topics'),
  });
  if (topics.length === 0) return null;
  return (
    <Section title={t.topics} description={t.topicsLead}>
      <div role="group" aria-label={t.topics} className="grid grid-cols-1 gap-1.5 sm:grid-cols-2">
        {topics.map(({ id, name }) => (
          <CheckboxField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((topicId) => topicId !== id))
            }
          />
        ))}
      </div>
    </Section>
  );
}

/** The logo, colours, font and footer that new emails start with. */
import { useQuery } from '@tanstack/react-query';
import { Palette } from 'lucide-react';
import { useState } from 'react';
import { brandQuery, type Brand } from '../../api/brand.ts';
import { sendJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { MediaDialog } from '../../editor/media/media-dialog.tsx';
import { ColourField } from '../../editor/panel/setting-fields.tsx';
import { texts } from '../../texts/en.ts';
import { brandTexts } from '../../texts/en/brand.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { FormError, useForm, useUnsaved } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { BrandPreview } from './brand-preview.tsx';

const t = brandTexts;
const fonts = Object.entries(editorTexts.settings.fonts);

const COLOURS = [
  ['backgroundColor', editorTexts.settings.pageColor],
  ['contentColor', editorTexts.settings.contentColor],
  ['textColor', editorTexts.settings.textColor],
  ['linkColor', editorTexts.settings.linkColor],
  ['buttonColor', editorTexts.settings.buttonColor],
] as const;

export function BrandPage() {
  return (
    <AdminsOnly title={t.title} icon={Palette} texts={t}>
      <Page wide title={t.title} description={t.lead}>
        <BrandOf />
      </Page>
    </AdminsOnly>
  );
}

function BrandOf() {
  // The form must not change while it is being edited.
  const brand = useQuery({ ...brandQuery, staleTime: Number.POSITIVE_INFINITY });
  if (brand.isPending) return <Skeleton className="h-64 max-w-xl" />;
  if (brand.isError) return <ErrorState error={brand.error} retry={() => void brand.refetch()} />;
  return <BrandForm brand={brand.data} />;
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf({ updatedAt: _updatedAt, ...fields }: Brand) {
  return { ...fields, footerText: fields.footerText ?? '', postalAddress: fields.postalAddress ?? '' };
}

function BrandForm({ brand }: { brand: Brand }) {
  const [isChoosing, setIsChoosing] = useState(false);
  const [stored, setStored] = useState(() => valuesOf(brand));
  const form = useForm(
    () => stored,
    async (values) => {
      const changes = Object.entries(values).filter(
        ([name, value]) => value !== stored[name as keyof Values],
      );
      const changed = await sendJson<Brand>('PATCH', '/brand', Object.fromEntries(changes));
      noteSaved();
      setStored(values);
      queryClient.setQueryData(brandQuery.queryKey, changed);
      showToast(texts.common.saved);
    },
  );
  const { isUnsaved, noteSaved } = useUnsaved(form.values);
  const { logoUrl, fontFamily } = form.values;
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,36rem)_minmax(0,1fr)]">
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <Card>
        <form onSubmit={form.onSubmit} className="space-y-4">
          <div className="flex flex-wrap items-center gap-3">
            <span className="mr-auto font-medium">{t.logo}</span>
            {logoUrl && (
              <>
                <img
                  src={logoUrl}
                  alt={t.logo}
                  className="max-h-12 max-w-40 rounded bg-panel object-contain"
                />
                <Button onClick={() => form.set({ logoUrl: null })}>{t.removeLogo}</Button>
              </>
            )}
            <Button onClick={() => setIsChoosing(true)}>{t.chooseLogo}</Button>
          </div>
          {COLOURS.map(([name, label]) => (
            <ColourField
              key={name}
              label={label}
              value={form.values[name]}
              onChange={(value) => form.set({ [name]: value })}
            />
          ))}
          <SelectField
            label={editorTexts.settings.font}
            options={fonts}
            value={fontFamily ?? 'sans'}
            onChange={({ target }) =>
              form.set({ fontFamily: target.value === 'sans' ? null : (target.value as Brand['fontFamily']) })
            }
          />
          <TextAreaField label={t.footerText} hint={t.footerHint} rows={2} {...form.text('footerText')} />
          <TextAreaField
            label={editorTexts.settings.address}
            hint={editorTexts.settings.addressHint}
            rows={3}
            {...form.text('postalAddress')}
          />
          <FormError error={form.errorBeside()} />
          <Button type="submit" look="primary" busy={form.busy}>
            {texts.common.save}
          </Button>
        </form>
      </Card>
      {isChoosing && (
        <MediaDialog
          title={t.chooseLogo}
          describes={false}
          onChoose={({ src }) => form.set({ logoUrl: src })}
          onClose={() => setIsChoosing(false)}
        />
      )}
      <div className="lg:sticky lg:top-6">
        <BrandPreview brand={form.values} />
      </div>
    </div>
  );
}

/** The settings of each kind of node. */
import type { Editor } from '@tiptap/core';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { editorTexts } from '../../texts/en/editor.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, SwitchField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FONTS } from '../nodes/email-document.ts';
import type { NetworkLink } from '../nodes/whole-blocks.ts';
import { ColumnsFields } from './column-fields.tsx';
import { AlignField, ColourField, LinkField, NumberField } from './setting-fields.tsx';
import type { NodeFieldsProps } from './selected-path.ts';

const t = editorTexts.settings;
const e = editorTexts;

type NodeFields = (props: NodeFieldsProps) => ReactNode;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const NODE_FIELDS: Record<string, NodeFields> = {
  paragraph: (props) => <TextAlign {...props} />,
  heading: HeadingFields,
  image: ImageFields,
  button: ButtonFields,
  columns: ColumnsFields,
  section: () => null,
  blockquote: () => null,
  bulletList: () => null,
  orderedList: () => null,
  horizontalRule: LineFields,
  spacer: ({ attrs, set }) => (
    <NumberField label={t.height} value={attrs['height']} max={400} onChange={(height) => set({ height })} />
  ),
  table: TableFields,
  social: SocialFields,
  html: ({ attrs, set }) => (
    <TextAreaField
      label={t.html}
      hint={t.htmlHint}
      rows={12}
      maxLength={60_000}
      mono
      value={text(attrs['html'])}
      onChange={(event) => set({ html: event.target.value })}
    />
  ),
  footer: FooterFields,
  variable: ({ attrs, set }) => (
    <TextField
      label={t.fallback}
      hint={t.fallbackHint}
      maxLength={200}
      value={text(attrs['fallback'])}
      onChange={(event) => set({ fallback: event.target.value.replaceAll(/[{}]/g, '') || null })}
    />
  ),
  doc: EmailFields,
};

function TextAlign({ attrs, set }: NodeFieldsProps) {
  return (
    <AlignField label={t.align} value={attrs['textAlign']} onChange={(textAlign) => set({ textAlign })} />
  );
}

function HeadingFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  return (
    <>
      <SelectField
        label={t.level}
        options={Object.entries(t.levels)}
        value={String(attrs['level'])}
        onChange={({ target }) => set({ level: Number(target.value) })}
      />
      <TextAlign {...props} />
    </>
  );
}

function LineFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  return (
    <>
      <ColourField
        label={t.lineColor}
        value={attrs['lineColor']}
        onChange={(lineColor) => set({ lineColor })}
      />
      <NumberField
        label={t.thickness}
        value={attrs['thickness']}
        max={12}
        onChange={(thickness) => set({ thickness })}
      />
      <NumberField
        label={t.widthPercent}
        value={attrs['widthPercent']}
        max={100}
        onChange={(widthPercent) => set({ widthPercent })}
      />
      <Align {...props} />
    </>
  );
}

function Align({ attrs, set }: NodeFieldsProps) {
  return (
    <AlignField label={t.align} value={attrs['alignment']} onChange={(alignment) => set({ alignment })} />
  );
}

function ImageFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  const changeWidth = (width: number | null) => {
    const [before, height] = [Number(attrs['width']), Number(attrs['height'])];
    set({ width, height: width && before && height ? Math.round((height * width) / before) : null });
  };
  return (
    <>
      <TextField
        label={e.imageAlt}
        hint={e.imageAltHint}
        maxLength={1000}
        value={text(attrs['alt'])}
        onChange={(event) => set({ alt: event.target.value })}
      />
      <NumberField
        label={e.imageWidth}
        hint={e.imageWidthHint}
        value={attrs['width']}
        max={600}
        onChange={changeWidth}
      />
      <LinkField label={t.link} value={attrs['href']} onChange={(href) => set({ href: href || null })} />
      <Align {...props} />
    </>
  );
}

function ButtonFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  return (
    <>
      <TextField
        label={e.buttonText}
        maxLength={200}
        value={text(attrs['text'])}
        onChange={(event) => set({ text: event.target.value })}
      />
      <LinkField label={e.address} value={attrs['url']} onChange={(url) => set({ url })} />
      <Align {...props} />
      <ColourField
        label={t.buttonColor}
        value={attrs['buttonColor']}
        onChange={(buttonColor) => set({ buttonColor })}
      />
      <ColourField
        label={t.textColor}
        value={attrs['textColor']}
        onChange={(textColor) => set({ textColor })}
      />
      <NumberField
        label={t.radius}
        value={attrs['borderRadius']}
        max={60}
        onChange={(borderRadius) => set({ borderRadius })}
      />
      <SwitchField label={t.wide} checked={attrs['wide'] === true} onChange={(wide) => set({ wide })} />
    </>
  );
}

function TableFields({ editor }: NodeFieldsProps) {
  const run = (change: (chain: ReturnType<Editor['chain']>) => ReturnType<Editor['chain']>) => () =>
    change(editor.chain().focus()).run();
  const actions = [
    [t.addRow, run((chain) => chain.addRowAfter())],
    [t.addColumn, run((chain) => chain.addColumnAfter())],
    [t.deleteRow, run((chain) => chain.deleteRow())],
    [t.deleteColumn, run((chain) => chain.deleteColumn())],
    [t.headerRow, run((chain) => chain.toggleHeaderRow())],
  ] as const;
  return (
    <div className="grid grid-cols-2 gap-2">
      {actions.map(([name, onClick]) => (
        <Button key={name} size="small" onClick={onClick}>
          {name}
        </Button>
      ))}
    </div>
  );
}

function SocialFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  const links = Array.isArray(attrs['links']) ? (attrs['links'] as NetworkLink[]) : [];
  const change = (at: number, part: Partial<NetworkLink>) =>
    set({ links: links.map((link, index) => (index === at ? { ...link, ...part } : link)) });
  const options = Object.entries(e.networks);
  return (
    <>
      {links.map((link, at) => (
        <div key={at} className="space-y-2 border-b border-line pb-3">
          <div className="flex items-end gap-1">
            <SelectField
              className="grow"
              label={t.network}
              options={options}
              value={link.network}
              onChange={(event) => change(at, { network: event.target.value })}
            />
            <IconButton
              icon={Trash2}
              label={t.removeNetwork}
              onClick={() => set({ links: links.toSpliced(at, 1) })}
            />
          </div>
          <LinkField label={e.address} value={link.url} onChange={(url) => change(at, { url })} />
        </div>
      ))}
      {links.length < options.length && (
        <Button
          size="small"
          icon={Plus}
          onClick={() => {
            const unused = options.find(([id]) => !links.some(({ network }) => network === id));
            set({ links: [...links, { network: unused?.[0] ?? 'website', url: '' }] });
          }}
        >
          {t.addNetwork}
        </Button>
      )}
      <Align {...props} />
    </>
  );
}

function FooterFields(props: NodeFieldsProps) {
  const { attrs, set } = props;
  return (
    <>
      <TextAreaField
        label={t.footerText}
        rows={2}
        maxLength={2000}
        value={text(attrs['text'])}
        onChange={(event) => set({ text: event.target.value })}
      />
      <TextAreaField
        label={t.address}
        hint={t.addressHint}
        rows={3}
        maxLength={1000}
        value={text(attrs['address'])}
        onChange={(event) => set({ address: event.target.value })}
      />
      <SwitchField
        label={t.unsubscribe}
        checked={attrs['unsubscribe'] !== false}
        onChange={(unsubscribe) => set({ unsubscribe })}
      />
      <TextField
        label={t.unsubscribeText}
        placeholder={e.unsubscribe}
        maxLength={100}
        value={text(attrs['unsubscribeText'])}
        onChange={(event) => set({ unsubscribeText: event.target.value })}
      />
      <SwitchField
        label={t.preferences}
        checked={attrs['preferences'] === true}
        onChange={(preferences) => set({ preferences })}
      />
      <Align {...props} />
    </>
  );
}

const EMAIL_COLOURS = [
  ['backgroundColor', t.pageColor],
  ['contentColor', t.contentColor],
  ['textColor', t.textColor],
  ['linkColor', t.linkColor],
  ['buttonColor', t.buttonColor],
] as const;

function EmailFields({ attrs, set }: NodeFieldsProps) {
  return (
    <>
      {EMAIL_COLOURS.map(([name, label]) => (
        <ColourField
          key={name}
          label={label}
          value={attrs[name]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <SelectField
        label={t.font}
        options={FONTS.map((font) => [font, t.fonts[font]])}
        value={text(attrs['fontFamily']) || 'sans'}
        onChange={({ target }) => set({ fontFamily: target.value === 'sans' ? null : target.value })}
      />
    </>
  );
}

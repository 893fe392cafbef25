/** The settings of columns: their number, their widths, and how phones show them. */
import { editorTexts } from '../../texts/en/editor.ts';
import { SelectField, SwitchField } from '../../ui/field.tsx';
import { LAYOUTS, setColumnCount } from '../nodes/layout-nodes.ts';
import type { NodeFieldsProps } from './selected-path.ts';

const t = editorTexts.settings;

export function ColumnsFields({ editor, at, attrs, set }: NodeFieldsProps) {
  const count = editor.state.doc.nodeAt(at!)?.childCount === 3 ? 3 : 2;
  const layouts = LAYOUTS[count];
  return (
    <>
      <SelectField
        label={t.columnCount}
        options={[
          ['2', '2'],
          ['3', '3'],
        ]}
        value={String(count)}
        onChange={({ target }) => setColumnCount(editor, at!, target.value === '3' ? 3 : 2)}
      />
      <SelectField
        label={t.layout}
        options={layouts.map((layout) => [layout, t.layouts[layout]])}
        value={layouts.find((layout) => layout === attrs['layout']) ?? 'equal'}
        onChange={({ target }) => set({ layout: target.value === 'equal' ? null : target.value })}
      />
      <SelectField
        label={t.verticalAlign}
        options={[
          ['top', t.top],
          ['middle', t.middle],
          ['bottom', t.bottom],
        ]}
        value={typeof attrs['verticalAlign'] === 'string' ? attrs['verticalAlign'] : 'top'}
        onChange={({ target }) => set({ verticalAlign: target.value })}
      />
      <SwitchField label={t.stack} checked={attrs['stack'] !== false} onChange={(stack) => set({ stack })} />
    </>
  );
}

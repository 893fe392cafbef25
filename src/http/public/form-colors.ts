/** Renders the style sheet with the colours of a form. Missing colours are chosen so that the text is readable. */
import type { FormColor } from '../../features/audience/forms/forms.schema.ts';
import { DARK, isDark, LIGHT, readableOn } from './colors.ts';

type Colors = Partial<Record<FormColor, string>>;

/** Empty for a form without its own colours, which uses those of the brand. */
export function renderFormColors({ background, text, button, buttonText }: Colors): string {
  const page = background ?? (text === undefined ? undefined : isDark(text) ? LIGHT : DARK);
  let style = '';
  if (page !== undefined) {
    const ink = text ?? readableOn(page);
    const [scheme, problem] = isDark(page) ? ['dark', '#f7aca4'] : ['light', '#9c2820'];
    style += `:root { color-scheme: ${scheme}; --paper: ${page}; --field: ${page}; --ink: ${ink}; --brass: ${ink};
  --delete: ${problem}; --panel: color-mix(in srgb, ${page} 96%, ${ink});
  --line: color-mix(in srgb, ${page} 82%, ${ink}); --soft: color-mix(in srgb, ${page} 22%, ${ink}); }
`;
  }
  if (button !== undefined) style += `:root { --horn: ${button}; }\n`;
  const label = buttonText ?? (button === undefined ? undefined : readableOn(button));
  if (label !== undefined) style += `button { color: ${label}; }\n`;
  return style;
}

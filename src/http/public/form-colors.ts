/** The style sheet with the colors of a form. Missing colors are chosen so that they can be read. */
import type { FormColor } from '../../features/audience/forms/forms.schema.ts';

type Colors = Partial<Record<FormColor, string>>;

const DARK = '#23211d';
const LIGHT = '#ffffff';

/** Empty for a form that has the default colors, which follow the light or dark mode of the visitor. */
export function renderFormColors({ background, text, button, buttonText }: Colors): string {
  const page = background ?? (text === undefined ? undefined : isDark(text) ? LIGHT : DARK);
  let style = '';
  if (page !== undefined) {
    const ink = text ?? readableOn(page);
    const [scheme, problem] = isDark(page) ? ['dark', '#f7aca4'] : ['light', '#9c2820'];
    style += `:root { color-scheme: ${scheme}; --paper: ${page}; --ink: ${ink}; --brass: ${ink}; --delete: ${problem};
  --panel: color-mix(in srgb, ${page} 96%, ${ink}); --line: color-mix(in srgb, ${page} 82%, ${ink});
  --soft: color-mix(in srgb, ${page} 22%, ${ink}); }
`;
  }
  if (button !== undefined) style += `:root { --horn: ${button}; }\n`;
  const label = buttonText ?? (button === undefined ? undefined : readableOn(button));
  if (label !== undefined) style += `button { color: ${label}; }\n`;
  return style;
}

function readableOn(color: string): string {
  return isDark(color) ? LIGHT : DARK;
}

/** Whether white has more contrast on this color than black (WCAG 2, relative luminance). */
function isDark(color: string): boolean {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! < 0.179;
}

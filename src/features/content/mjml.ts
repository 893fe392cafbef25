/** MJML in requests. It is rendered once, before anything is stored, and only the HTML is stored. */
import { renderMjmlOffLoop } from '../../mail/offload/render-mjml.ts';
import { invalidField } from '../../platform/errors.ts';
import { text } from '../../platform/schema.ts';
import { html, withTags } from './content-limits.ts';

/** A short element becomes about 100 times as much HTML, which has its own limit. */
const MAX_MJML_CHARACTERS = 200_000;
const MAX_HTML_CHARACTERS = 500_000;

export const mjml = text({ max: MAX_MJML_CHARACTERS })
  .nullish()
  .describe(
    'MJML instead of `html` and `content`. It is rendered once and stored as HTML. mj-include is rejected',
  );

const rendered = withTags(html({ max: MAX_HTML_CHARACTERS }), 'html');

interface WithMjml {
  mjml?: string | null | undefined;
  html?: string | null | undefined;
  content?: string | null | undefined;
}

/** Returns the body with `html` instead of `mjml`. */
export async function renderBody<Body extends WithMjml>(teamId: number, body: Body): Promise<Body> {
  const { mjml: source, ...rest } = body;
  if (!source) return body;
  if (rest.html || rest.content) throw invalidField('mjml', 'cannot be sent together with html or content');
  const result = await renderMjmlOffLoop(source, teamId);
  if ('problem' in result) throw invalidField('mjml', `cannot be rendered: ${result.problem.slice(0, 500)}`);
  const checked = rendered.safeParse(result.html);
  if (!checked.success) throw invalidField('mjml', `makes HTML that ${checked.error.issues[0]!.message}`);
  return { ...(rest as Body), html: checked.data };
}

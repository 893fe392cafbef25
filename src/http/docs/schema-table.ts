/** Renders the fields of a shape as a table. Nested fields have their path in front of the name: `items[].email`. */
import { markup, prose, type Markup } from '../pages/markup.ts';
import type { JsonSchema, Schemas } from '../openapi/openapi-schema.ts';
import type { Parameter } from '../openapi/document.ts';
import { choicesOf, limitWords, resolve, typeWords } from './schema-words.ts';

interface Field {
  way: string;
  name: string;
  required: boolean;
  schema: JsonSchema;
}

/** Deep enough for every shape of the API. It also ends recursive shapes. */
const MAX_DEPTH = 5;

function listFields(schema: JsonSchema, schemas: Schemas, way = '', depth = 0): Field[] {
  if (depth > MAX_DEPTH) return [];
  const fields = new Map<string, Field>();
  for (const choice of choicesOf(schema, schemas)) {
    for (const field of fieldsOfChoice(choice, schemas, way, depth)) {
      // A field that several shapes of a union have is listed once.
      if (!fields.has(field.way + field.name)) fields.set(field.way + field.name, field);
    }
  }
  return [...fields.values()];
}

function fieldsOfChoice(choice: JsonSchema, schemas: Schemas, way: string, depth: number): Field[] {
  if (choice.type === 'array') return listFields(choice.items ?? {}, schemas, `${way}[]`, depth + 1);
  const { properties = {}, required = [], additionalProperties, allOf = [] } = choice;
  const step = way === '' ? '' : `${way}.`;
  return [
    ...allOf.flatMap((part) => listFields(part, schemas, way, depth + 1)),
    ...inOrder(properties, required).flatMap(([name, property]) => [
      { way: step, name, required: required.includes(name), schema: property },
      ...listFields(property, schemas, step + name, depth + 1),
    ]),
    ...(typeof additionalProperties === 'object'
      ? listFields(additionalProperties, schemas, `${way}.*`, depth + 1)
      : []),
  ];
}

/** Required fields come first; otherwise the declared order is kept. */
function inOrder(properties: Schemas, required: string[]): [string, JsonSchema][] {
  const entries = Object.entries(properties);
  return [
    ...entries.filter(([name]) => required.includes(name)),
    ...entries.filter(([name]) => !required.includes(name)),
  ];
}

/** Only fields of a request are marked as required, because a response always has all fields. */
export function renderFields(
  title: string,
  schema: JsonSchema,
  schemas: Schemas,
  side: 'request' | 'answer',
): Markup | null {
  const fields = listFields(schema, schemas);
  if (fields.length === 0) return null;
  const rows = fields.map((field) =>
    renderRow(schemas, {
      name: markup`<span class="way">${breakable(field.way)}</span>${breakable(field.name)}`,
      schema: field.schema,
      required: side === 'request' && field.required,
      limits: limitWords(field.schema, schemas),
      description: resolve(field.schema, schemas).description,
    }),
  );
  return renderTable(title, 'Field', rows);
}

export function renderParameters(parameters: Parameter[], schemas: Schemas): Markup | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ in: place, name, required, schema, description }) =>
    renderRow(schemas, {
      name: markup`${breakable(name)}`,
      schema,
      // Path parameters are always required, so they are not marked.
      required: required && place !== 'path',
      limits: [`in the ${place}`, ...limitWords(schema, schemas)],
      description,
    }),
  );
  return renderTable('Parameters', 'Name', rows);
}

interface Row {
  name: Markup;
  schema: JsonSchema;
  required: boolean;
  limits: string[];
  description: string | undefined;
}

function renderRow(schemas: Schemas, { name, schema, required, limits, description }: Row): Markup {
  const words = limits.map((limit) => markup` <span class="limit">${prose(limit)}</span>`);
  return markup`<tr>
<th scope="row"><code>${name}</code></th>
<td>${typeWords(schema, schemas)}${required ? markup` <b class="required">required</b>` : null}${words}
${description === undefined ? null : markup`<p>${prose(description)}</p>`}</td>
</tr>
`;
}

function renderTable(title: string, first: string, rows: Markup[]): Markup {
  return markup`<table class="fields" aria-label="${title}">
<thead><tr><th scope="col">${first}</th><th scope="col">Description</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}

/** Allows line breaks in a long name only between its words. */
function breakable(name: string): Markup[] {
  return name
    .split(/(?=[A-Z._[])/)
    .map((part, index) => (index === 0 ? markup`${part}` : markup`<wbr>${part}`));
}

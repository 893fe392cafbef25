/** The fields of a shape as a table; what lies deeper has its way in front of its name: `items[].email`. */
import { markup, prose, type Markup } from '../markup.ts';
import type { JsonSchema, Schemas } from '../openapi-schema.ts';
import type { Parameter } from '../openapi.ts';
import { choicesOf, limitWords, resolve, typeWords } from './schema-words.ts';

interface Field {
  way: string;
  name: string;
  required: boolean;
  schema: JsonSchema;
}

/** Deep enough for every shape of the API, and an end to those that hold themselves. */
const MAX_DEPTH = 5;

function listFields(schema: JsonSchema, schemas: Schemas, way = '', depth = 0): Field[] {
  if (depth > MAX_DEPTH) return [];
  const fields = new Map<string, Field>();
  for (const choice of choicesOf(schema, schemas)) {
    for (const field of fieldsOfChoice(choice, schemas, way, depth)) {
      // Of several shapes, a field is listed once.
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

/** What must be there comes first; else the order is the one declared. */
function inOrder(properties: Schemas, required: string[]): [string, JsonSchema][] {
  const entries = Object.entries(properties);
  return [
    ...entries.filter(([name]) => required.includes(name)),
    ...entries.filter(([name]) => !required.includes(name)),
  ];
}

/** In an answer nothing is ever missing, so there only a request's fields are told apart by being required. */
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
      // There is no address without it.
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
<thead><tr><th scope="col">${first}</th><th scope="col">What it holds</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}

/** Lets a long name break where its words meet, not in the middle of one. */
function breakable(name: string): Markup[] {
  return name
    .split(/(?=[A-Z._[])/)
    .map((part, index) => (index === 0 ? markup`${part}` : markup`<wbr>${part}`));
}

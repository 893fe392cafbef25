/**
 * Finds the properties of row types that are written by hand although they are columns.
 *
 * It checks every statement with a type (sql<Row>`…`, statement<Row>(db)`…`, client.query<Row>('…')), follows the type
 * through the files, and searches the text of the statement for an item of a select or returning list that is a bare
 * column (`id`, `e.id`, `e.team_id as "teamId"`) of a table that the statement names. A property is written by hand
 * when its type consists only of string, number, boolean, Date, Buffer, null, arrays and literals. A named type, such
 * as CampaignStatus, may be more precise than the column and is left alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

interface TypedColumn {
  file: string;
  line: number;
  property: string;
  table: string;
  column: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the fields depend on the type of the node
type Node = { type: string; start: number; end: number } & Record<string, any>;

/** A property of a row type, and the file that declares it. */
interface Property {
  file: string;
  node: Node;
}

interface Source {
  code: string;
  program: Node;
  /** Top-level type declarations and constants, by name. */
  names: Map<string, Node>;
  /** The file and the original name of each imported name. */
  imports: Map<string, { file: string; name: string }>;
}

const sources = new Map<string, Source>();

/** Returns the names of the columns of each table, from src/platform/database/tables.ts. */
export function readTables(file: string): Map<string, Map<string, Node>> {
  const tables = sourceOf(file)!.names.get('Tables')!;
  return new Map(
    (tables.body.body as Node[]).map((table) => [
      table.key.name,
      new Map(
        (table.typeAnnotation.typeAnnotation.members as Node[]).map((column) => [column.key.name, column]),
      ),
    ]),
  );
}

export function findTypedColumns(
  file: string,
  tables: ReturnType<typeof readTables>,
): (TypedColumn & Property)[] {
  const source = sourceOf(file)!;
  const found: (TypedColumn & Property)[] = [];
  visit(source.program, (node) => {
    const statement = statementOf(node);
    if (!statement) return;
    const text = textOf(statement.text, file);
    const aliases = tablesIn(text, tables);
    for (const property of propertiesOf(statement.type, file)) {
      if (!isByHand(property.node.typeAnnotation?.typeAnnotation)) continue;
      const name = property.node.key.name ?? property.node.key.value;
      const origin = originOf(name, text, aliases, tables);
      if (!origin) continue;
      const { code } = sourceOf(property.file)!;
      found.push({ ...property, ...origin, property: name, line: lineOf(code, property.node.start) });
    }
  });
  return found;
}

/** Returns the type and the text of a statement, if the node is one. */
function statementOf(node: Node): { type: Node; text: Node } | null {
  if (node.type === 'TaggedTemplateExpression') {
    const type = node.typeArguments ?? (node.tag.type === 'CallExpression' ? node.tag.typeArguments : null);
    return type ? { type: type.params[0], text: node.quasi } : null;
  }
  if (node.type === 'CallExpression' && node.typeArguments && node.callee.property?.name === 'query')
    return node.arguments[0] ? { type: node.typeArguments.params[0], text: node.arguments[0] } : null;
  return null;
}

/** Returns the text of a statement with the constant fragments in it. A question mark replaces other values. */
function textOf(node: Node | undefined, file: string): string {
  switch (node?.type) {
    case 'Literal':
      return String(node.value);
    case 'TemplateLiteral':
      return (node.quasis as Node[])
        .map((part, at) => part.value.raw + (node.expressions[at] ? textOf(node.expressions[at], file) : ''))
        .join('');
    case 'TaggedTemplateExpression':
      return textOf(node.quasi, file);
    // new Fragment('…') and sql.raw('…')
    case 'NewExpression':
    case 'CallExpression':
      return textOf(node.arguments[0], file);
    case 'Identifier': {
      const found = lookUp(node.name, file);
      return found?.node.type === 'VariableDeclarator'
        ? textOf(found.node.init ?? undefined, found.file)
        : ' ? ';
    }
    default:
      return ' ? ';
  }
}

/** Returns the table of each name in a statement: table names and aliases. */
function tablesIn(text: string, tables: Map<string, unknown>): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [, table, alias] of text.matchAll(
    /\b(?:from|join|update|into|using)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/g,
  )) {
    if (!tables.has(table!)) continue;
    aliases.set(table!, table!);
    if (alias) aliases.set(alias, table!);
  }
  return aliases;
}

/** Finds the column that a statement returns under a name. */
function originOf(
  name: string,
  text: string,
  aliases: Map<string, string>,
  tables: ReturnType<typeof readTables>,
): { table: string; column: string } | null {
  const item =
    /(?<=\b(?:select|distinct|returning)\s+|,\s*)(?:(\w+)\.)?(\w+)(?:\s+as\s+"?(\w+)"?)?(?=\s*(?:,|$|\)|\?|from\b|where\b|union\b|order\b|limit\b))/g;
  for (const [, alias, column, shownAs] of text.matchAll(item)) {
    if ((shownAs ?? column) !== name) continue;
    const candidates = alias ? [aliases.get(alias)] : aliases.values();
    for (const table of candidates)
      if (table && tables.get(table)!.has(column!)) return { table, column: column! };
  }
  return null;
}

/** True if a type is no more precise than the type of a column. */
function isByHand(type: Node | undefined): boolean {
  switch (type?.type) {
    case 'TSStringKeyword':
    case 'TSNumberKeyword':
    case 'TSBooleanKeyword':
    case 'TSNullKeyword':
    case 'TSLiteralType':
      return true;
    case 'TSArrayType':
      return isByHand(type.elementType);
    case 'TSUnionType':
      return (type.types as Node[]).every(isByHand);
    case 'TSTypeReference':
      return ['Date', 'Buffer'].includes(type.typeName.name);
    default:
      return false;
  }
}

/** Returns the properties of a row type that are declared one by one, in whichever file. */
function propertiesOf(type: Node, file: string, depth = 0): Property[] {
  if (depth > 8) return [];
  switch (type.type) {
    case 'TSTypeLiteral':
      return (type.members as Node[])
        .filter(({ type: kind }) => kind === 'TSPropertySignature')
        .map((node) => ({ file, node }));
    case 'TSInterfaceDeclaration':
      return [
        ...(type.body.body as Node[])
          .filter(({ type: kind }) => kind === 'TSPropertySignature')
          .map((node) => ({ file, node })),
        ...(type.extends as Node[]).flatMap((base) =>
          namedProperties(base.expression.name, base.typeArguments, file, depth),
        ),
      ];
    case 'TSTypeAliasDeclaration':
      return propertiesOf(type.typeAnnotation, file, depth + 1);
    case 'TSIntersectionType':
      return (type.types as Node[]).flatMap((part) => propertiesOf(part, file, depth + 1));
    case 'TSTypeReference':
      return namedProperties(type.typeName.name, type.typeArguments, file, depth);
    default:
      return [];
  }
}

function namedProperties(
  name: string,
  typeArguments: Node | undefined,
  file: string,
  depth: number,
): Property[] {
  if (['Pick', 'Omit'].includes(name)) {
    const [type, names] = typeArguments!.params as [Node, Node];
    const chosen = literalsOf(names);
    return propertiesOf(type, file, depth + 1).filter(
      ({ node }) => chosen.has(node.key.name ?? node.key.value) === (name === 'Pick'),
    );
  }
  const found = lookUp(name, file);
  return found ? propertiesOf(found.node, found.file, depth + 1) : [];
}

function literalsOf(type: Node): Set<string> {
  const parts: Node[] = type.type === 'TSUnionType' ? type.types : [type];
  return new Set(parts.map((part) => part.literal?.value));
}

/** Finds the declaration of a name, in this file or in the file that it is imported from. */
function lookUp(name: string, file: string): { file: string; node: Node } | null {
  const source = sourceOf(file);
  const node = source?.names.get(name);
  if (node) return { file, node };
  const imported = source?.imports.get(name);
  return imported ? lookUp(imported.name, imported.file) : null;
}

function sourceOf(file: string): Source | undefined {
  if (!sources.has(file) && existsSync(file)) {
    const code = readFileSync(file, 'utf8');
    const program = parseSync(file, code).program as unknown as Node;
    const source: Source = { code, program, names: new Map(), imports: new Map() };
    sources.set(file, source);
    visit(program, (node) => {
      if (/^TS(Interface|TypeAlias)Declaration$|^VariableDeclarator$/.test(node.type) && node.id.name)
        source.names.set(node.id.name, node);
      if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('.')) return;
      for (const { local, imported } of node.specifiers as Node[])
        if (imported)
          source.imports.set(local.name, {
            file: join(dirname(file), node.source.value),
            name: imported.name,
          });
    });
  }
  return sources.get(file);
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, see);
  else if (node && typeof node === 'object') {
    if ('type' in node) see(node as Node);
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value, see);
  }
}

function lineOf(code: string, start: number): number {
  return code.slice(0, start).split('\n').length;
}

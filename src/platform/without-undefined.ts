/** Leaves out the fields that are undefined, so that they change nothing when the object is spread over another. */
export function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  const kept: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as Fields;
}

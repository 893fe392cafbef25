/** Reads the values of a posted form. */
import { propertyKey } from '../../mail/html/tag-names.ts';
import { readChunks } from '../requests/body.ts';
import type { Exchange } from '../requests/exchange.ts';
import { readForm } from '../requests/read-form.ts';
import type { Values } from './submit-form.ts';

const MAX_FORM_BYTES = 64 * 1024;

/** If a name occurs twice, the first value counts. A missing Content-Type means a URL-encoded form. */
export async function readValues(exchange: Exchange): Promise<Values> {
  const chunks = await readChunks(exchange.incoming, { limitBytes: MAX_FORM_BYTES });
  const type = exchange.requestHeader('content-type') ?? 'application/x-www-form-urlencoded';
  const { texts } = await readForm(type, Buffer.concat(chunks));
  const values = new Map(texts.toReversed().map(({ name, value }) => [name, value]));
  // A form on another site keeps the names that its fields had when it was copied.
  const byKey = new Map(texts.toReversed().map(({ name, value }) => [propertyKey(name), value]));
  return (name) => values.get(name) ?? byKey.get(propertyKey(name)) ?? '';
}

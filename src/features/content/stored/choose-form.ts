/** Chooses the form in which a composed message is stored: its bytes, or a recipe if that takes much less space. */
import { toRecipe, type Ingredients } from './message-recipe.ts';
import { toStoredMessage, type MessageForm } from './stored-message.ts';

/**
 * A recipe must be composed again each time it is read, so small messages are stored as they are. They fit into the
 * allowance of each recipient (request-meter.ts).
 */
const MIN_BYTES = 6 * 1024;
/** The limit for each of several emails of one request. */
const MIN_BYTES_OF_MANY = 1024;
const MIN_SAVING = 2;

export interface Sharing {
  /** Whether other emails, of this or another request, have the same texts. */
  isShared: boolean;
  /** Whether the request has several emails. */
  isOneOfMany: boolean;
}

export async function chooseForm(
  raw: Buffer,
  ingredients: Ingredients,
  { isShared, isOneOfMany }: Sharing,
): Promise<MessageForm> {
  const least = isShared && isOneOfMany ? MIN_BYTES_OF_MANY : MIN_BYTES;
  const composed = await toStoredMessage(raw);
  if (raw.length < least || composed.bytes.length < least) return composed;
  const recipe = await toRecipe(ingredients, raw.length);
  const shared = recipe.parts.reduce((sum, { content }) => sum + content.length, 0);
  const taken = recipe.bytes.length + (isShared ? 0 : shared);
  return composed.bytes.length > MIN_SAVING * taken ? recipe : composed;
}

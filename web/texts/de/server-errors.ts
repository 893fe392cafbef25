import type { serverErrors as English } from '../en/server-errors.ts';
import { translatorOf } from '../intl/translate.ts';
import { number } from './number.ts';
import { ERROR_SENTENCES } from './sentences/errors.ts';

export const serverErrors: typeof English = { translate: translatorOf(ERROR_SENTENCES, number) };

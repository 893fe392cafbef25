import type { serverHealth as English } from '../en/server-health.ts';
import { translatorOf } from '../intl/translate.ts';
import { number } from './number.ts';
import { HEALTH_SENTENCES } from './sentences/health.ts';

export const serverHealth: typeof English = { translate: translatorOf(HEALTH_SENTENCES, number) };

import type { serverNotices as English } from '../en/server-notices.ts';
import { translatorOf } from '../intl/translate.ts';
import { number } from './number.ts';
import { NOTICE_SENTENCES } from './sentences/notices.ts';

export const serverNotices: typeof English = { translate: translatorOf(NOTICE_SENTENCES, number) };

/** VacationResponse/get and /set (RFC 8621 section 8): each account has one object. */
import {
  changeVacation,
  readVacation,
  type VacationFields,
  type VacationResponse,
} from '../../features/mailboxes/vacation/vacation-response.ts';
import { MAX_VACATION } from '../../features/mailboxes/vacation/vacation.schema.ts';
import { dateTime } from '../../platform/schema.ts';
import { pick, readGet, refuseUnknown } from '../calls/arguments.ts';
import { notFound, runSet } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { toUtcDate } from './email-objects.ts';

const ID = 'singleton';
const PROPERTIES = ['id', 'isEnabled', 'fromDate', 'toDate', 'subject', 'textBody', 'htmlBody'];

export async function getVacationResponses(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, PROPERTIES);
  const vacation = await readVacation(context.tools.db, context.login);
  return {
    accountId: context.accountId,
    state: String(vacation.modseq),
    list: !ids || ids.includes(ID) ? [pick(present(vacation), properties)] : [],
    notFound: (ids ?? []).filter((id) => id !== ID),
  };
}

function present({ isEnabled, fromDate, toDate, subject, textBody, htmlBody }: VacationResponse): Arguments {
  const [from, to] = [fromDate && toUtcDate(fromDate), toDate && toUtcDate(toDate)];
  return { id: ID, isEnabled, fromDate: from, toDate: to, subject, textBody, htmlBody };
}

export async function setVacationResponses(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { tools, login } = context;
  const { response, updated } = await runSet(context, args, {
    readState: async () => String((await readVacation(tools.db, login)).modseq),
    create: () => Promise.reject(isSingleton()),
    async update(id, patch) {
      if (id !== ID) throw notFound();
      await changeVacation(tools.db, login, readChange(patch));
      return null;
    },
    isSmallUpdate: (patch) => patch.isEnabled === false && Object.keys(patch).length === 1,
    destroy: (id) => Promise.reject(id === ID ? isSingleton() : notFound()),
  });
  if (updated.size > 0) tools.facts.hintMail();
  return response;
}

function isSingleton(): ObjectError {
  return new ObjectError('singleton', 'There is exactly one VacationResponse, with the ID singleton.');
}

function readChange(patch: Arguments): Partial<VacationFields> {
  const change: Partial<VacationFields> = {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === 'isEnabled') change.isEnabled = readBoolean(value);
    else if (name === 'fromDate' || name === 'toDate') change[name] = readDate(name, value);
    else if (name === 'subject' || name === 'textBody' || name === 'htmlBody')
      change[name] = readText(name, value);
    else if (name !== 'id' || value !== ID)
      throw invalidProperties([name.slice(0, 200)], 'This property cannot be set.');
  }
  return change;
}

function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidProperties(['isEnabled'], 'isEnabled must be true or false.');
}

function readDate(name: string, value: unknown): Date | null {
  if (value === null) return null;
  const date = typeof value === 'string' && value.endsWith('Z') ? dateTime.safeParse(value) : null;
  if (date?.success) return date.data;
  throw invalidProperties([name], `${name} must be a date in UTC, such as 2026-11-15T09:30:00Z, or null.`);
}

function readText(name: keyof typeof MAX_VACATION, value: unknown): string | null {
  if (value === null) return null;
  const isText =
    typeof value === 'string' &&
    value.length <= MAX_VACATION[name] &&
    value.isWellFormed() &&
    !value.includes('\0');
  const isOneLine = name !== 'subject' || (isText && !/[\r\n]/.test(value));
  if (isText && isOneLine) return value;
  throw invalidProperties(
    [name],
    `${name} must be a string of at most ${MAX_VACATION[name]} characters, or null.`,
  );
}

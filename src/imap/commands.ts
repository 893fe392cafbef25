/** The commands by name, and the state in which each is allowed (RFC 9051 section 3). */
import type { MailboxNeed } from '../features/api/mailbox-access.ts';
import { append } from './commands/append.ts';
import { copy, expunge, move } from './commands/copy.ts';
import { fetch } from './commands/fetch.ts';
import {
  create,
  getQuota,
  getQuotaRoot,
  namespace,
  remove,
  rename,
  subscribe,
  unsubscribe,
} from './commands/folders.ts';
import { idle } from './commands/idle.ts';
import { list, lsub } from './commands/list.ts';
import {
  authenticate,
  capability,
  compress,
  enable,
  id,
  logIn,
  logout,
  noop,
  startTls,
} from './commands/login.ts';
import { getAcl, listRights, myRights, refuseRights } from './commands/rights.ts';
import { search } from './commands/search.ts';
import { close, examine, select, unselect } from './commands/select.ts';
import { sort, thread } from './commands/sort-thread.ts';
import { status } from './commands/status.ts';
import { store } from './commands/store.ts';
import type { CommandInput, CommandResult, FolderSession, Session, UserSession } from './session/session.ts';

type Run<In extends Session> = (session: In, input: CommandInput) => CommandResult;

export type Command = {
  /** The access to the mailbox that the command needs. Default: to read it. */
  needs?: MailboxNeed;
  /** True if the command can be preceded by UID. */
  hasUid?: boolean;
  /** Whether changes of the folder are reported after the command: with or without deleted messages, or not at all. */
  reports?: 'all' | 'no-expunge' | 'nothing';
} & (
  | { state: 'any' | 'not-authenticated'; run: Run<Session> }
  | { state: 'authenticated'; run: Run<UserSession> }
  | { state: 'selected'; run: Run<FolderSession> }
);

export const COMMANDS: Record<string, Command> = {
  CAPABILITY: { state: 'any', run: capability },
  NOOP: { state: 'any', run: noop },
  LOGOUT: { state: 'any', run: logout, reports: 'nothing' },
  ID: { state: 'any', run: id },
  STARTTLS: { state: 'not-authenticated', run: startTls },
  LOGIN: { state: 'not-authenticated', run: logIn },
  AUTHENTICATE: { state: 'not-authenticated', run: authenticate },
  ENABLE: { state: 'authenticated', run: enable },
  COMPRESS: { state: 'authenticated', run: compress },
  SELECT: { state: 'authenticated', run: select, reports: 'nothing' },
  EXAMINE: { state: 'authenticated', run: examine, reports: 'nothing' },
  CREATE: { state: 'authenticated', run: create, needs: 'reply' },
  DELETE: { state: 'authenticated', run: remove, needs: 'reply' },
  RENAME: { state: 'authenticated', run: rename, needs: 'reply' },
  SUBSCRIBE: { state: 'authenticated', run: subscribe, needs: 'reply' },
  UNSUBSCRIBE: { state: 'authenticated', run: unsubscribe, needs: 'reply' },
  LIST: { state: 'authenticated', run: list },
  LSUB: { state: 'authenticated', run: lsub },
  NAMESPACE: { state: 'authenticated', run: namespace },
  STATUS: { state: 'authenticated', run: status },
  APPEND: { state: 'authenticated', run: append },
  IDLE: { state: 'authenticated', run: idle },
  GETQUOTA: { state: 'authenticated', run: getQuota },
  GETQUOTAROOT: { state: 'authenticated', run: getQuotaRoot },
  MYRIGHTS: { state: 'authenticated', run: myRights },
  GETACL: { state: 'authenticated', run: getAcl },
  LISTRIGHTS: { state: 'authenticated', run: listRights },
  SETACL: { state: 'authenticated', run: refuseRights },
  DELETEACL: { state: 'authenticated', run: refuseRights },
  CHECK: { state: 'selected', run: noop },
  CLOSE: { state: 'selected', run: close, reports: 'nothing' },
  UNSELECT: { state: 'selected', run: unselect, reports: 'nothing' },
  EXPUNGE: { state: 'selected', run: expunge, hasUid: true },
  FETCH: { state: 'selected', run: fetch, hasUid: true, reports: 'no-expunge' },
  STORE: { state: 'selected', run: store, hasUid: true, reports: 'nothing' },
  COPY: { state: 'selected', run: copy, needs: 'reply', hasUid: true },
  MOVE: { state: 'selected', run: move, needs: 'reply', hasUid: true },
  SORT: { state: 'selected', run: sort, hasUid: true, reports: 'no-expunge' },
  THREAD: { state: 'selected', run: thread, hasUid: true, reports: 'no-expunge' },
  SEARCH: { state: 'selected', run: search, hasUid: true, reports: 'no-expunge' },
};

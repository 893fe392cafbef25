/**
 * The page of a sign-up form (GET) and its submissions (POST). Forms on other sites post here too, so the origin is not
 * checked: no cookie is read, and anyone may sign up. Scripts of other sites get JSON (Accept: application/json).
 */
import { encodeId } from '../../platform/ids.ts';
import { renderEmbedScript, SCRIPT_SUFFIX } from '../../features/audience/forms/embed-script.ts';
import { countForm } from '../../features/audience/forms/form-counts.ts';
import { FORM_PATH } from '../../features/audience/forms/form-row.ts';
import { formStampsOf } from '../../features/audience/forms/form-stamp.ts';
import { formTextsIn } from '../../features/audience/forms/form-texts.ts';
import { findPublicForm, type PublicForm } from '../../features/audience/forms/public-form.ts';
import type { Problems } from '../../features/audience/forms/read-sign-up.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, badRequest, needsLogging, notFound } from '../../platform/errors.ts';
import { toErrorAnswer } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { readVisitor } from '../routing/authenticate.ts';
import {
  EMPTY,
  formHeaders,
  renderFormGone,
  renderFormPage,
  renderThankYou,
  thankYouTexts,
} from './form-page.ts';
import { findLook, type Look } from './look.ts';
import { readValues } from './read-values.ts';
import { requireRoom } from './require-room.ts';
import { renderTrouble, type View } from './pages.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';
import { createFormSubmitter, type FormOutcome, type Values } from './submit-form.ts';
import { readPurpose } from '../requests/prefetch.ts';
import { chooseLanguage, type Language } from './texts.ts';

const METHODS = 'GET, HEAD, POST, OPTIONS';
const CROSS_ORIGIN = { 'access-control-allow-origin': '*' };
const PREFLIGHT = {
  ...CROSS_ORIGIN,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, accept',
  'access-control-max-age': '86400',
};

export function createFormRoute({ db, facts, log }: PublicTools): PublicRoute {
  const stamps = formStampsOf(facts);
  const submit = createFormSubmitter({ db, facts, log });

  function show(exchange: Exchange, form: PublicForm, view: View): Answer {
    if (exchange.method === 'GET' && readPurpose(exchange.incoming.headers) === null) {
      // This is not awaited, so that the visitor does not wait for the count.
      countForm(db, { teamId: form.teamId, formId: form.id, views: 1 }).catch((error: unknown) =>
        log.warn({ err: error }, 'forms: a view was not counted'),
      );
    }
    const stamp = stamps.make(form.id, Date.now());
    return answerPage(exchange, 200, form, view.look, renderFormPage(form, view, { ...EMPTY, stamp }));
  }

  async function receive(exchange: Exchange, form: PublicForm, view: View): Promise<Answer> {
    let valueOf: Values = EMPTY.valueOf;
    let outcome: FormOutcome;
    try {
      await requireRoom(facts, form.teamId);
      valueOf = await readValues(exchange);
      outcome = await submit({ ...form, formId: form.id }, valueOf, {
        ...readVisitor(exchange),
        language: view.language,
      });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code !== 'BAD_REQUEST') throw error;
      outcome = { kind: 'refused', error, message: 'unreadable' };
    }
    if (outcome.kind === 'done') return answerDone(exchange, form, view);
    const error = outcome.kind === 'refused' ? outcome.error : describeProblems(outcome.problems);
    if (wantsJson(exchange)) throw error;
    const state = {
      valueOf,
      problems: outcome.kind === 'problems' ? outcome.problems : new Map(),
      message: outcome.kind === 'refused' ? outcome.message : null,
      stamp: stamps.make(form.id, Date.now()),
    };
    const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
    for (const name in headers) exchange.setHeader(name, headers[name]!);
    return answerPage(exchange, status, form, view.look, renderFormPage(form, view, state));
  }

  async function answer(exchange: Exchange, visitorLanguage: Language): Promise<Answer> {
    const name = exchange.path.slice(FORM_PATH.length);
    const isScript = name.endsWith(SCRIPT_SUFFIX);
    const form = await findPublicForm(db, isScript ? name.slice(0, -SCRIPT_SUFFIX.length) : name);
    if (!form) throw notFound('Form');
    if (isScript) return answerScript(exchange, form, facts.baseUrl);
    const look = await findLook(db, form.teamId);
    const view = { language: form.language ?? visitorLanguage, look };
    return exchange.method === 'POST' ? receive(exchange, form, view) : show(exchange, form, view);
  }

  return {
    path: FORM_PATH,
    async answer(exchange) {
      setHeaders(exchange, CROSS_ORIGIN);
      if (exchange.method === 'OPTIONS') {
        setHeaders(exchange, PREFLIGHT);
        return exchange.answerEmpty(204);
      }
      if (!['GET', 'HEAD', 'POST'].includes(exchange.method)) {
        exchange.setHeader('allow', METHODS);
        throw new AppError('METHOD_NOT_ALLOWED', `This path only supports ${METHODS}.`);
      }
      const language = chooseLanguage(exchange.requestHeader('accept-language'));
      try {
        return await answer(exchange, language);
      } catch (thrown) {
        return answerFailure(exchange, language, toAppError(thrown), log);
      }
    },
  };
}

function answerScript(exchange: Exchange, form: PublicForm, baseUrl: string): Answer {
  if (exchange.method === 'POST')
    throw new AppError('METHOD_NOT_ALLOWED', 'This path only supports GET, HEAD.');
  const url = `${baseUrl.replace(/\/+$/, '')}${FORM_PATH}${encodeId('frm', form.id)}`;
  exchange.setHeader('cache-control', 'public, max-age=300');
  exchange.setHeader('x-content-type-options', 'nosniff');
  return exchange.answer(200, 'text/javascript; charset=utf-8', renderEmbedScript({ ...form, url }));
}

function answerFailure(
  exchange: Exchange,
  language: Language,
  error: AppError,
  log: PublicTools['log'],
): Answer {
  // The application responds with JSON and logs the error.
  if (wantsJson(exchange)) throw error;
  if (needsLogging(error))
    log.error({ requestId: exchange.requestId, route: FORM_PATH, err: error.cause }, error.message);
  const { status, headers } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
  setHeaders(exchange, { ...headers, ...formHeaders() });
  return { status, body: error.code === 'NOT_FOUND' ? renderFormGone(language) : renderTrouble(language) };
}

function answerPage(exchange: Exchange, status: number, form: PublicForm, look: Look, html: string): Answer {
  setHeaders(exchange, formHeaders(form, look));
  return { status, body: html };
}

function answerDone(exchange: Exchange, form: PublicForm, view: View): Answer {
  const { title, text: message } = thankYouTexts(form, view.language);
  const { redirectUrl } = form;
  if (wantsJson(exchange)) {
    const body = { success: true, title, message, redirectUrl };
    exchange.setHeader('cache-control', 'no-store');
    return exchange.answer(200, 'application/json', JSON.stringify(body));
  }
  if (redirectUrl === null) return answerPage(exchange, 200, form, view.look, renderThankYou(form, view));
  setHeaders(exchange, formHeaders(form));
  exchange.setHeader('location', new URL(redirectUrl).href);
  return exchange.answerEmpty(303);
}

function describeProblems(problems: Problems): AppError {
  const issues = [...problems].map(([name, problem]) => ({
    path: `/${name}`,
    message: formTextsIn('en')[problem],
  }));
  return badRequest(issues.map(({ path, message }) => `${path.slice(1)}: ${message}`).join(' '), issues);
}

function wantsJson(exchange: Exchange): boolean {
  const accept = exchange.requestHeader('accept') ?? '';
  return accept.includes('application/json') && !accept.includes('text/html');
}

function setHeaders(exchange: Exchange, headers: Record<string, string>): void {
  for (const name in headers) exchange.setHeader(name, headers[name]!);
}

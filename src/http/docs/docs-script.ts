/**
 * The script of the API page: a search over operations and the names of their fields and schemas, and forms that send
 * requests. It is a file of its own, because our policy allows no inline scripts. An API key that someone types stays
 * in the memory of the page. Without the script, the page works as before.
 */
export const DOCS_SCRIPT = `'use strict';
(() => {
  const MAX_SHOWN = 100000;
  const nav = document.getElementById('contents');
  const articles = [...document.querySelectorAll('article.entry')];
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // Search
  const links = new Map(
    [...nav.querySelectorAll('ul ul a')].map((link) => [link.getAttribute('href').slice(1), link.parentElement]),
  );
  let texts;
  const readTexts = () =>
    new Map(
      articles.map((article) => {
        const words = [article.id, article.dataset.schemas, article.querySelector('.text').textContent];
        return [article.id, words.join(' ').toLowerCase()];
      }),
    );
  const search = make('input', {
    type: 'search',
    'aria-label': 'Search operations and fields',
    placeholder: 'Search (press /)',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const count = make('p', { class: 'found', role: 'status' });
  nav.querySelector('.top').after(make('div', { class: 'search' }, search, count));
  function filter() {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    texts ??= readTexts();
    let found = 0;
    for (const [id, item] of links) {
      const text = texts.get(id) ?? item.textContent.toLowerCase();
      const matches = words.every((word) => text.includes(word));
      item.hidden = !matches;
      if (matches) found += 1;
    }
    for (const group of nav.querySelectorAll('ul > li')) {
      const inner = [...group.querySelectorAll('li')];
      if (inner.length > 0) group.hidden = inner.every((item) => item.hidden);
    }
    count.textContent = words.length === 0 ? '' : found === 1 ? '1 match' : found + ' matches';
  }
  search.addEventListener('input', filter);
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const first = [...links].find(([, item]) => !item.hidden);
    if (first) location.hash = first[0];
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    // On a small screen the contents are shown while the fragment is #contents.
    if (getComputedStyle(nav).display === 'none') location.hash = 'contents';
    search.focus();
  });

  // Forms that send requests
  let apiKey = '';
  let operations;
  const readOperations = async () => {
    const answer = await fetch('/api/v1/openapi.json');
    if (!answer.ok) throw new Error('the server responded with ' + answer.status);
    const { paths } = await answer.json();
    return new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          operation.operationId,
          { method: method.toUpperCase(), path, operation },
        ]),
      ),
    );
  };
  const field = (label, input) => make('label', {}, make('span', {}, label), input);

  async function open(article, button, trouble) {
    button.disabled = true;
    trouble.textContent = '';
    try {
      operations ??= readOperations();
      const listed = (await operations).get(article.id);
      trouble.remove();
      button.replaceWith(makeForm(listed));
      article.querySelector('form.try input, form.try button').focus();
    } catch (error) {
      operations = undefined;
      button.disabled = false;
      trouble.textContent = 'The form could not be loaded: ' + error.message + '. Try again.';
    }
  }

  function makeForm({ method, path, operation }) {
    const form = make('form', { class: 'try', 'aria-label': 'Try it: ' + operation.summary });
    const key = make('input', { type: 'password', autocomplete: 'off', placeholder: 'ph_…' });
    key.value = apiKey;
    key.addEventListener('input', () => (apiKey = key.value));
    if (operation['x-permission'] !== 'anyone') form.append(field('API key (kept in this page only)', key));
    const parameters = (operation.parameters ?? []).map((parameter) => {
      const input = make('input', { autocomplete: 'off', name: parameter.name });
      if (parameter.in === 'path') input.required = true;
      if (parameter.in === 'path' && parameter.example !== undefined) input.value = parameter.example;
      form.append(field(parameter.name, input));
      return { ...parameter, input };
    });
    const media = operation.requestBody?.content['application/json'];
    const body = media && make('textarea', { rows: '8', spellcheck: 'false', name: 'body' });
    if (body) {
      body.value = JSON.stringify(media.example ?? {}, null, 2);
      form.append(field('Body', body));
    }
    const send = make('button', { type: 'submit' }, 'Send request');
    const status = make('p', { class: 'outcome', role: 'status' });
    const answer = make('pre', { hidden: '' }, make('code'));
    form.append(send, status, answer);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      send.disabled = true;
      status.textContent = 'Sending…';
      const result = await request(method, path, parameters, body?.value);
      status.textContent = result.status;
      answer.hidden = result.text === '';
      answer.firstChild.textContent = result.text;
      send.disabled = false;
    });
    return form;
  }

  async function request(method, path, parameters, body) {
    const headers = {};
    if (apiKey.trim() !== '') headers.authorization = 'Bearer ' + apiKey.trim();
    if (body !== undefined) headers['content-type'] = 'application/json';
    const query = new URLSearchParams();
    let url = '/api' + path;
    for (const parameter of parameters) {
      const { value } = parameter.input;
      if (value === '') continue;
      if (parameter.in === 'path') url = url.replace('{' + parameter.name + '}', () => encodeURIComponent(value));
      else if (parameter.in === 'query') query.set(parameter.name, value);
      else headers[parameter.name] = value;
    }
    if (query.size > 0) url += '?' + query;
    try {
      // A key is tried, never the session of the signed-in person.
      const answer = await fetch(url, { method, headers, body, credentials: 'omit', cache: 'no-store' });
      return { status: answer.status + ' ' + answer.statusText, text: format(await answer.text()) };
    } catch (error) {
      return { status: 'The request failed: ' + error.message, text: '' };
    }
  }

  function format(text) {
    const short = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) + '…' : text;
    try {
      return text.length > MAX_SHOWN ? short : JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return short;
    }
  }

  for (const article of articles) {
    if (article.dataset.try === undefined) continue;
    const button = make('button', { type: 'button', class: 'try' }, 'Try it');
    const trouble = make('p', { class: 'trouble', role: 'status' });
    button.addEventListener('click', () => void open(article, button, trouble));
    article.querySelector('.sample').prepend(button, trouble);
  }
})();
`;

/**
 * The service worker of webmail. It shows notifications and opens their conversations, and does nothing else: it
 * caches nothing and answers no requests. The server leaves sender and text out unless the person chose them.
 */
const TEXTS = {
  en: {
    assigned: 'A conversation was assigned to you',
    mention: 'A note mentions you',
    reminder: 'A conversation has come back',
    message: 'New message',
  },
  de: {
    assigned: 'Eine Unterhaltung wurde Ihnen zugewiesen',
    mention: 'Eine Notiz erwähnt Sie',
    reminder: 'Eine Unterhaltung ist wieder da',
    message: 'Neue Nachricht',
  },
};

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  let data = {};
  try {
    data = event.data ? event.data.json() : {};
  } catch {
    // A push that cannot be read is shown without details, because browsers demand that something is shown.
  }
  event.waitUntil(show(data));
});

async function show(data) {
  const words = TEXTS[new URL(self.location.href).searchParams.get('lang')] || TEXTS.en;
  const heading = words[data.kind] || words.message;
  const title = data.from ? nameOf(data.from) : heading;
  const lines = data.from ? [data.subject, data.text] : [data.mailbox];
  await self.registration.showNotification(title || heading, {
    body: lines.filter(Boolean).join('\n'),
    icon: '/icon.svg',
    // A newer notification about a conversation replaces the older one.
    tag: data.thread_id || 'posthorn',
    renotify: true,
    data: { url: pathOf(data.url) },
  });
}

function nameOf(person) {
  return (
    person
      .replace(/\s*<[^<>]*>\s*$/, '')
      .replaceAll('"', '')
      .trim() || person
  );
}

/** Only pages of webmail are opened. */
function pathOf(url) {
  const path = typeof url === 'string' ? url : '';
  return path.startsWith('/mail/') ? path : '/mail';
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.url));
});

/** Uses a tab of webmail that is open, and otherwise opens one. */
async function open(url) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find((each) => new URL(each.url).pathname.startsWith('/mail'));
  if (!shown) return self.clients.openWindow(url);
  await shown.focus();
  // The page goes there itself, so that a draft that is being written stays open.
  // A client of a service worker takes no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  shown.postMessage({ type: 'open', url });
}

/** Subscribes this browser to Web Push. `/push-worker.js` shows what arrives. */
import type { PushSubscriptionItem } from '../../../../src/features/mailboxes/notifications/notifications.schema.ts';
import { getJson, sendJson } from '../../../api/client.ts';

const WORKER = '/push-worker.js';

/** `unsupported` also where the connection is not secure. */
type PushState = 'on' | 'off' | 'blocked' | 'unsupported';

export interface BrowserPush {
  state: PushState;
  /** The subscription of this browser, as the server knows it. */
  own: PushSubscriptionItem | null;
  others: PushSubscriptionItem[];
}

function isPushSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

export async function readBrowserPush(): Promise<BrowserPush> {
  const { items } = await getJson<{ items: PushSubscriptionItem[] }>('/push-subscriptions');
  if (!isPushSupported()) return { state: 'unsupported', own: null, others: items };
  const endpoint = (await currentSubscription())?.endpoint;
  const own = items.find((each) => each.endpoint === endpoint) ?? null;
  const others = items.filter((each) => each !== own);
  if (Notification.permission === 'denied') return { state: 'blocked', own, others };
  return { state: own ? 'on' : 'off', own, others };
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Returns false if the person, or the browser, does not allow notifications. */
export async function subscribeBrowser(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await navigator.serviceWorker.register(`${WORKER}?lang=${document.documentElement.lang}`);
  const registration = await navigator.serviceWorker.ready;
  const { public_key: key } = await getJson<{ public_key: string }>('/push-key');
  // A subscription with a key of before, as after a restore of the server, would get nothing.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint, keys } = subscription.toJSON();
  await sendJson('POST', '/push-subscriptions', { endpoint, keys });
  return true;
}

export async function unsubscribeBrowser({ own }: BrowserPush): Promise<void> {
  await (await currentSubscription())?.unsubscribe();
  if (own) await sendJson('DELETE', `/push-subscriptions/${own.id}`);
}

export async function dropOthers({ others }: BrowserPush): Promise<void> {
  for (const { id } of others) await sendJson('DELETE', `/push-subscriptions/${id}`);
}

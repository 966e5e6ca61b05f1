/** Why this browser cannot show notifications. */
export type PushObstacle = 'insecure' | 'unsupported' | 'denied';

/** The address at which a browser is notified, as the API takes it. */
interface PushAddress {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

const WORKER = '/push-worker.js';
/** The only Trusted Types policy that the page allows. */
const POLICY = 'push-worker';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** Returns why this browser cannot show notifications; undefined when it can, or asks the user first. */
export function pushObstacle(): PushObstacle | undefined {
  if (!globalThis.isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis))
    return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Asks the user whether notifications may be shown, as browsers allow after a click only. */
export async function askForNotifications(): Promise<boolean> {
  return (await Notification.requestPermission()) === 'granted';
}

/** Subscribes this browser anew. Ends its former subscription, which may be that of another user. */
export async function subscribeToPush(publicKey: string): Promise<PushAddress> {
  await navigator.serviceWorker.register(addressOfWorker());
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  return { endpoint, p256dh, auth };
}

/** Ends the subscription of this browser, with the notifications that its service has not delivered yet. */
export async function unsubscribeFromPush(): Promise<void> {
  const obstacle = pushObstacle();
  if (obstacle !== undefined && obstacle !== 'denied') return;
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

function addressOfWorker(): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy(POLICY, { createScriptURL: () => WORKER });
  return policy?.createScriptURL(WORKER) ?? WORKER;
}

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const PROFILE = `/o/${ORG}/settings/profile`;
const LIST = 'GET /api/users/me/push-subscriptions';
const SUBSCRIPTION = {
  id: 'a-browser',
  is_current: true,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0',
  service: 'push.example.com',
  error: null,
  created_at: '2026-11-22T09:30:00.000Z',
};

test('who opens the console over plain HTTP reads why it cannot show notifications', async () => {
  openConsole(script, PROFILE, {
    [LIST]: { body: [{ ...SUBSCRIPTION, is_current: false, error: 'It answered 503' }] },
  });
  const button = await screen.findByRole('button', { name: 'Notify me in this browser' });
  expect([button.getAttribute('aria-disabled'), button.title]).toEqual(['true', expect.stringContaining('need HTTPS')]);
  expect(screen.getByText('Firefox on Linux')).toBeDefined();
  expect(screen.getByText('It answered 503')).toBeDefined();
});

describe('a browser that can show notifications', () => {
  let ended: string[];
  let permission: NotificationPermission;
  beforeEach(() => {
    [ended, permission] = [[], 'granted'];
    let endpoint = 'https://push.example.com/former';
    const subscription = () => ({
      toJSON: () => ({ endpoint, keys: { p256dh: 'a-point', auth: 'a-secret' } }),
      unsubscribe: async () => ended.push(endpoint),
    });
    const pushManager = {
      getSubscription: async () => subscription(),
      subscribe: async ({ applicationServerKey: key }: { applicationServerKey: string }) => {
        endpoint = `https://push.example.com/${key}`;
        return subscription();
      },
    };
    const registration = { pushManager };
    const serviceWorker = {
      register: async () => registration,
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    };
    Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker, configurable: true });
    const Notification = { permission: 'default', requestPermission: async () => permission };
    Object.assign(globalThis, { isSecureContext: true, PushManager: pushManager, Notification });
  });
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'serviceWorker');
    for (const name of ['isSecureContext', 'PushManager', 'Notification']) Reflect.deleteProperty(globalThis, name);
  });

  test('is subscribed anew with the key of the server, and off again', async () => {
    let stored: object[] = [];
    openConsole(script, PROFILE, {
      [LIST]: () => ({ body: stored }),
      'GET /api/users/me/push-key': { body: { public_key: 'the-key' } },
      'POST /api/users/me/push-subscriptions': () => {
        stored = [SUBSCRIPTION];
        return { status: 201, body: SUBSCRIPTION };
      },
      'DELETE /api/users/me/push-subscriptions/a-browser': () => {
        stored = [];
        return { status: 204 };
      },
    });
    const button = await screen.findByRole('button', { name: 'Notify me in this browser' });
    await userEvent.click(button);
    expect(await screen.findByText('this one')).toBeDefined();
    const sent = script.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/push-subscriptions'));
    const body: unknown = JSON.parse(sent?.body ?? '{}');
    expect(body).toEqual({ endpoint: 'https://push.example.com/the-key', p256dh: 'a-point', auth: 'a-secret' });
    expect(ended).toEqual(['https://push.example.com/former']);
    await userEvent.click(screen.getByRole('button', { name: /^Turn off Firefox on Linux/ }));
    expect(await screen.findByText('You are notified in no browser.')).toBeDefined();
    expect(ended.at(-1)).toBe('https://push.example.com/the-key');
  });

  test('says so where the user does not allow it, and subscribes nothing', async () => {
    permission = 'denied';
    openConsole(script, PROFILE, { [LIST]: { body: [] } });
    await userEvent.click(await screen.findByRole('button', { name: 'Notify me in this browser' }));
    // Once for the eye, and once for screen readers.
    expect(await screen.findAllByText('The browser was not allowed to show notifications.')).toHaveLength(2);
    expect(ended).toEqual([]);
  });

  test('is notified no longer once nobody is signed in', async () => {
    openConsole(script, '/sign-in', { 'POST /api/auth/browser-session/refresh': { status: 401, body: {} } });
    await waitFor(() => expect(ended).toEqual(['https://push.example.com/former']));
  });
});

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { askForNotifications, pushObstacle, subscribeToPush, unsubscribeFromPush } from '../core/browser/push.ts';
import { answerOf } from '../core/http/api-client.ts';
import { CURRENT_USER, useApi } from '../core/session/session-context.tsx';
import { fullTime, timeFromNow } from '../core/text/formats.ts';
import type { components } from '../openapi.ts';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Loaded, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { clientName } from './client-name.ts';
import { type SettingsText, useSettingsText } from './text.ts';

type PushSubscription = components['schemas']['PushSubscription'];

const SUBSCRIPTIONS = [...CURRENT_USER, 'push-subscriptions'];

/** Lists the browsers in which the user is notified, and turns notifications on and off. */
export function BrowsersSection() {
  const text = useSettingsText();
  const api = useApi();
  const subscriptions = useQuery({
    queryKey: SUBSCRIPTIONS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me/push-subscriptions', { signal })),
  });
  const { title, lead, none } = text.browsers;
  return (
    <Section
      title={title}
      lead={lead}
      actions={subscriptions.data !== undefined && <TurnOn subscriptions={subscriptions.data} />}
    >
      <Loaded query={subscriptions}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{none}</p>
          ) : (
            <Table label={title} columns={columnsOf(text)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** Turns on notifications in this browser, which asks the user first. */
function TurnOn({ subscriptions }: { readonly subscriptions: readonly PushSubscription[] }) {
  const { browsers: text } = useSettingsText();
  const { turnOn } = usePushActions();
  const obstacle = pushObstacle();
  const isOn = subscriptions.some(({ is_current: isCurrent }) => isCurrent);
  return (
    <ActionButton
      reason={obstacle === undefined ? (isOn ? text.isOn : undefined) : text.obstacles[obstacle]}
      action={async () => turnOn(text.notAllowed)}
      done={text.turnedOn}
    >
      {text.turnOn}
    </ActionButton>
  );
}

function columnsOf(text: SettingsText): readonly Column<PushSubscription>[] {
  return [
    { key: 'browser', title: text.browsers.browser, cell: (subscription) => <Browser subscription={subscription} /> },
    { key: 'since', title: text.browsers.since, cell: ({ created_at: at }) => timeFromNow(at) },
    {
      key: 'end',
      title: text.actions,
      isActions: true,
      cell: (subscription) => <TurnOff subscription={subscription} />,
    },
  ];
}

/** A browser, and why the last notification did not get there. */
function Browser({ subscription }: { readonly subscription: PushSubscription }) {
  const { sessions: text } = useSettingsText();
  const { user_agent: userAgent, is_current: isCurrent, error } = subscription;
  return (
    <span className="column min-w-0">
      <span className="row gap-1-2">
        <span className="wrap-anywhere min-w-0">{clientName(userAgent, text)}</span>
        {isCurrent && <Badge tone="good">{text.current}</Badge>}
      </span>
      {error !== null && <span className="soft font-normal wrap-anywhere">{showInvisible(error)}</span>}
    </span>
  );
}

function TurnOff({ subscription }: { readonly subscription: PushSubscription }) {
  const [{ browsers: text, sessions }, { turnOff }] = [useSettingsText(), usePushActions()];
  const client = clientName(subscription.user_agent, sessions);
  return (
    <ActionButton
      variant="quiet"
      aria-label={text.turnOffOne(client, fullTime(subscription.created_at))}
      action={async () => turnOff(subscription)}
      done={text.turnedOff(client)}
    >
      {text.turnOff}
    </ActionButton>
  );
}

/** Returns the functions that turn notifications on in this browser, and off in any of them. */
function usePushActions() {
  const [api, cache] = [useApi(), useQueryClient()];
  const path = '/api/users/me/push-subscriptions';
  const read = async () => cache.invalidateQueries({ queryKey: SUBSCRIPTIONS });
  return {
    turnOn: async (notAllowed: string) => {
      if (!(await askForNotifications())) throw new Error(notAllowed);
      const { public_key: publicKey } = await answerOf(api.GET('/api/users/me/push-key'));
      await answerOf(api.POST(path, { body: await subscribeToPush(publicKey) }));
      await read();
    },
    turnOff: async ({ id, is_current: isCurrent }: PushSubscription) => {
      await answerOf(api.DELETE(`${path}/{subscription_id}`, { params: { path: { subscription_id: id } } }));
      if (isCurrent) await unsubscribeFromPush();
      await read();
    },
  };
}

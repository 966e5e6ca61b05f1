import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { CURRENT_USER, useApi, useCurrentUser } from '../core/session/session-context.tsx';
import { fullTime, timeFromNow } from '../core/text/formats.ts';
import { ConfirmButton } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Loaded, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { clientName } from './client-name.ts';
import { type SettingsText, useSettingsText } from './text.ts';
import { answerOf } from '../core/http/api-client.ts';
import type { components } from '../openapi.ts';

/** Where the user is signed in: in browsers and clients, and on devices. */
export function SignInsPage() {
  return (
    <>
      <SessionList />
      <DeviceList />
    </>
  );
}

/** The sign-ins of the user. The one that is used now is ended by signing out. */
function SessionList() {
  const text = useSettingsText();
  const sessions = useSessions();
  return (
    <Section
      title={text.sessions.title}
      lead={text.sessions.lead}
      actions={sessions.data !== undefined && <EndOthers sessions={sessions.data} />}
    >
      <Loaded query={sessions}>
        {(rows) => (
          <Table
            label={text.sessions.title}
            columns={sessionColumns(text)}
            rows={rows.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Ends all sign-ins but the one that is used now, after asking. */
function EndOthers({ sessions }: { readonly sessions: readonly Session[] }) {
  const { sessions: text } = useSettingsText();
  const { endOthers } = useSignInActions();
  const hasOthers = sessions.some(({ is_current: isCurrent }) => !isCurrent);
  return (
    <ConfirmButton
      reason={hasOthers ? undefined : text.noOthers}
      question={text.askOthers}
      why={text.whyOthers}
      action={text.endOthers}
      done={text.doneOthers}
      onConfirm={async () => endOthers()}
    />
  );
}

function sessionColumns(text: SettingsText): readonly Column<Session>[] {
  return [
    { key: 'client', title: text.sessions.what, cell: (session) => <Client session={session} /> },
    { key: 'used', title: text.lastUsed, cell: ({ updated_at: at }) => timeFromNow(at) },
    { key: 'since', title: text.sessions.since, cell: ({ created_at: at }) => timeFromNow(at) },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    { key: 'end', title: text.actions, isActions: true, cell: (session) => <EndSession session={session} /> },
  ];
}

function EndSession({ session }: { readonly session: Session }) {
  const [{ sessions: text }, { endSession }] = [useSettingsText(), useSignInActions()];
  const client = clientName(session.user_agent, text);
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={text.endOne(client, fullTime(session.created_at))}
      reason={session.is_current ? text.endThis : undefined}
      question={text.ask}
      why={text.why(client)}
      action={text.end}
      done={text.done}
      onConfirm={async () => endSession(session.id)}
    />
  );
}

/** What a sign-in was last used with, and from where. */
function Client({ session }: { readonly session: Session }) {
  const { sessions: text } = useSettingsText();
  const { user_agent: userAgent, ip_address: address, is_current: isCurrent } = session;
  return (
    <span className="column min-w-0">
      <span className="row gap-1-2">
        <span className="wrap-anywhere min-w-0" title={userAgent === null ? undefined : showInvisible(userAgent)}>
          {clientName(userAgent, text)}
        </span>
        {isCurrent && <Badge tone="good">{text.current}</Badge>}
      </span>
      <span className="soft font-normal wrap-anywhere">{address ?? text.notYet}</span>
    </span>
  );
}

/** The devices of the user, in all their organizations. */
function DeviceList() {
  const text = useSettingsText();
  const { data: user } = useCurrentUser();
  const orgs = new Map(user?.orgs.map(({ id, name }) => [id, name]));
  return (
    <Section title={text.devices.title} lead={text.devices.lead}>
      <Loaded query={useDevices()}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.devices.none}</p>
          ) : (
            <Table label={text.devices.title} columns={columnsOf(text, orgs)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsOf(text: SettingsText, orgs: ReadonlyMap<string, string>): readonly Column<Device>[] {
  return [
    {
      key: 'name',
      title: text.devices.device,
      cell: ({ name, platform }) => (
        <span className="column min-w-0">
          {showInvisible(name)}
          <span className="soft font-normal wrap-anywhere">{showInvisible(platform)}</span>
        </span>
      ),
    },
    { key: 'org', title: text.devices.org, cell: ({ org_id: id }) => showInvisible(orgs.get(id) ?? '') },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    { key: 'end', title: text.actions, isActions: true, cell: (device) => <EndDevice device={device} /> },
  ];
}

function EndDevice({ device }: { readonly device: Device }) {
  const [{ devices: text }, { endDevice }] = [useSettingsText(), useSignInActions()];
  const name = showInvisible(device.name);
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={text.endOne(name)}
      question={text.ask(name)}
      why={text.why}
      action={text.end}
      done={text.done(name)}
      onConfirm={async () => endDevice(device.id)}
    />
  );
}

export type Session = components['schemas']['Session'];
type Device = components['schemas']['Device'];

const SESSIONS = [...CURRENT_USER, 'sessions'];
const DEVICES = [...CURRENT_USER, 'devices'];

/** Returns where the user is signed in. */
function useSessions(): UseQueryResult<Session[]> {
  const api = useApi();
  return useQuery({
    queryKey: SESSIONS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me/sessions', { signal })),
  });
}

/** Returns the devices of the user, in all organizations. */
function useDevices(): UseQueryResult<Device[]> {
  const api = useApi();
  return useQuery({
    queryKey: DEVICES,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me/devices', { signal })),
  });
}

/** Returns what ends sign-ins, and signs devices out. */
function useSignInActions() {
  const [api, cache] = [useApi(), useQueryClient()];
  return {
    endSession: async (id: string) => {
      await answerOf(api.DELETE('/api/users/me/sessions/{session_id}', { params: { path: { session_id: id } } }));
      await cache.invalidateQueries({ queryKey: SESSIONS });
    },
    endOthers: async () => {
      await answerOf(api.DELETE('/api/users/me/sessions'));
      await cache.invalidateQueries({ queryKey: SESSIONS });
    },
    endDevice: async (id: string) => {
      await answerOf(api.DELETE('/api/users/me/devices/{device_id}', { params: { path: { device_id: id } } }));
      await cache.invalidateQueries({ queryKey: DEVICES });
    },
  };
}

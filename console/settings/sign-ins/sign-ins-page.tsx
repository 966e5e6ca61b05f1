import { useState } from 'react';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../settings-page.module.css';
import { type SettingsText, useSettingsText } from '../text.ts';
import { type Device, useDevices, useSignInActions } from './queries.ts';
import { SessionList } from './session-list.tsx';

/** Where the user is signed in: in browsers and clients, and on devices. */
export function SignInsPage() {
  return (
    <>
      <SessionList />
      <DeviceList />
    </>
  );
}

/** The devices of the user, in all their organizations. */
function DeviceList() {
  const [text, toast] = [useSettingsText(), useToast()];
  const { endDevice } = useSignInActions();
  const { data: user } = useCurrentUser();
  const [ended, setEnded] = useState<Device>();
  const orgs = new Map(user?.orgs.map(({ id, name }) => [id, name]));
  const name = showInvisible(ended?.name ?? '');
  return (
    <Section title={text.devices.title} lead={text.devices.lead}>
      <Loaded query={useDevices()}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={classes.soft}>{text.devices.none}</p>
          ) : (
            <Table
              label={text.devices.title}
              columns={columnsOf(text, orgs, setEnded)}
              rows={rows}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <Confirm
        open={ended !== undefined}
        onClose={() => setEnded(undefined)}
        title={text.devices.ask(name)}
        description={text.devices.why}
        action={text.devices.end}
        onConfirm={async () => {
          await endDevice(ended?.id ?? '');
          toast(text.devices.done(name));
        }}
      />
    </Section>
  );
}

function columnsOf(
  text: SettingsText,
  orgs: ReadonlyMap<string, string>,
  end: (device: Device) => void,
): readonly Column<Device>[] {
  return [
    {
      key: 'name',
      title: text.devices.device,
      cell: ({ name, platform }) => (
        <span className={classes.two}>
          {showInvisible(name)}
          <span className={classes.soft}>{showInvisible(platform)}</span>
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
    {
      key: 'end',
      title: text.actions,
      isActions: true,
      cell: (device) => (
        <Button look="quiet" aria-label={text.devices.endOne(showInvisible(device.name))} onClick={() => end(device)}>
          {text.devices.end}
        </Button>
      ),
    },
  ];
}

import { useState } from 'react';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { Confirm } from '../ui/overlays/confirm.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/section.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './members-page.module.css';
import { type Device, useMemberActions, useMemberDevices } from './queries.ts';
import { type MemberSectionProps, whyNotEnd } from './roles.tsx';
import { type MembersText, useMembersText } from './text.ts';

/** The devices that a member has signed in to this organization. */
export function DeviceSection({ member, question }: MemberSectionProps) {
  const [text, toast] = [useMembersText(), useToast()];
  const devices = useMemberDevices(member.user_id, true);
  const { endDevice } = useMemberActions(member.user_id);
  const [ended, setEnded] = useState<Device>();
  return (
    <Section title={text.devices} lead={text.devicesWhy}>
      <Loaded query={devices}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={classes.soft}>{text.noDevices}</p>
          ) : (
            <Table
              label={text.devices}
              columns={deviceColumns(text, whyNotEnd(question, text), setEnded)}
              rows={rows}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <Confirm
        open={ended !== undefined}
        onClose={() => setEnded(undefined)}
        title={text.signOutDevice(showInvisible(ended?.name ?? ''))}
        description={text.signOutWhy}
        action={text.signOut}
        onConfirm={async () => {
          await endDevice(ended?.id ?? '');
          toast(text.signedOut(showInvisible(ended?.name ?? '')));
        }}
      />
    </Section>
  );
}

/** The columns of a list of devices. `reason` says why none can be signed out; undefined when they can. */
function deviceColumns(
  text: MembersText,
  reason: string | undefined,
  end: (device: Device) => void,
): readonly Column<Device>[] {
  return [
    {
      key: 'name',
      title: text.device,
      cell: ({ name, platform }) => (
        <span className={classes.name}>
          {showInvisible(name)}
          <span className={classes.soft}>{showInvisible(platform)}</span>
        </span>
      ),
    },
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
        <Button
          look="quiet"
          aria-label={text.signOutOne(showInvisible(device.name))}
          reason={reason}
          onClick={() => end(device)}
        >
          {text.signOut}
        </Button>
      ),
    },
  ];
}

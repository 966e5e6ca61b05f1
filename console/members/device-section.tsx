import type { ReactNode } from 'react';
import { timeFromNow } from '../core/text/formats.ts';
import { ConfirmButton } from '../ui/overlays/confirm.tsx';
import { type Column, Loaded, Section, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Device, useMemberActions, useMemberDevices } from './queries.ts';
import { type MemberSectionProps, whyNotEnd } from './roles.tsx';
import { type MembersText, useMembersText } from './text.ts';

/** The devices that a member has signed in to this organization. */
export function DeviceSection({ member, question }: MemberSectionProps) {
  const text = useMembersText();
  const devices = useMemberDevices(member.user_id, true);
  const signOut = (device: Device) => <SignOut member={member} question={question} device={device} />;
  return (
    <Section title={text.devices} lead={text.devicesWhy}>
      <Loaded query={devices}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.noDevices}</p>
          ) : (
            <Table label={text.devices} columns={deviceColumns(text, signOut)} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function SignOut({ member, question, device }: MemberSectionProps & { readonly device: Device }) {
  const [text, { endDevice }] = [useMembersText(), useMemberActions(member.user_id)];
  const name = showInvisible(device.name);
  return (
    <ConfirmButton
      look="quiet"
      aria-label={text.signOutOne(name)}
      reason={whyNotEnd(question, text)}
      question={text.signOutDevice(name)}
      why={text.signOutWhy}
      action={text.signOut}
      done={text.signedOut(name)}
      onConfirm={async () => endDevice(device.id)}
    />
  );
}

function deviceColumns(text: MembersText, signOut: (device: Device) => ReactNode): readonly Column<Device>[] {
  return [
    {
      key: 'name',
      title: text.device,
      cell: ({ name, platform }) => (
        <span className="column min-w-0">
          {showInvisible(name)}
          <span className="soft font-normal wrap-anywhere">{showInvisible(platform)}</span>
        </span>
      ),
    },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    { key: 'end', title: text.actions, isActions: true, cell: signOut },
  ];
}

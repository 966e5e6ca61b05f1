import { useState } from 'react';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { nameOf } from '../member-name.ts';
import classes from '../members-page.module.css';
import { type Invite, type Member, useInviteActions, useInvites } from '../queries.ts';
import { type MembersText, useMembersText } from '../text.ts';

/** The invites that can still be used, each to be revoked. */
export function InviteList({ members }: { readonly members: readonly Member[] }) {
  const [text, toast] = [useMembersText(), useToast()];
  const [invites, { revoke }] = [useInvites(true), useInviteActions()];
  const [revoked, setRevoked] = useState<Invite>();
  const makers = new Map(members.map((member) => [member.user_id, nameOf(member)]));
  return (
    <section className={classes.section} aria-labelledby="invites">
      <h2 id="invites">{text.invites}</h2>
      <Loaded query={invites}>
        {(open) =>
          open.length === 0 ? (
            <p className={classes.soft}>{text.noInvites}</p>
          ) : (
            <Table
              label={text.invites}
              columns={columnsOf(text, makers, setRevoked)}
              rows={open}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <Confirm
        open={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        title={text.revokeInvite}
        description={text.revokeInviteWhy}
        action={text.revoke}
        onConfirm={async () => {
          await revoke(revoked?.id ?? '');
          toast(text.revoked);
        }}
      />
    </section>
  );
}

function columnsOf(
  text: MembersText,
  makers: ReadonlyMap<string, string>,
  revoke: (invite: Invite) => void,
): readonly Column<Invite>[] {
  return [
    {
      key: 'for',
      title: text.invitee,
      cell: ({ email, full_name: name }) => (
        <span className={classes.name}>
          {inviteeOf({ email, full_name: name }, text)}
          {email !== null && name !== null && <span className={classes.soft}>{showInvisible(name)}</span>}
        </span>
      ),
    },
    { key: 'role', title: text.role, cell: ({ role }) => text.roles[role] },
    { key: 'by', title: text.madeBy, cell: ({ created_by: id }) => showInvisible(makers.get(id) ?? text.former) },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    {
      key: 'revoke',
      title: text.actions,
      isActions: true,
      cell: (invite) => (
        <Button look="quiet" aria-label={text.revokeOne(inviteeOf(invite, text))} onClick={() => revoke(invite)}>
          {text.revoke}
        </Button>
      ),
    },
  ];
}

function inviteeOf({ email, full_name: name }: Pick<Invite, 'email' | 'full_name'>, text: MembersText): string {
  return showInvisible(email ?? name ?? text.anybody);
}

import { isAtLeast, mayGrant } from '../../../domain/orgs.ts';
import type { Role } from '../../../domain/permissions/keys.ts';
import { useOwnPermissions } from '../../core/permissions.ts';
import { useSession } from '../../core/session/session-context.tsx';
import { type Member, useMembers } from '../../members/queries.ts';
import { ConfirmButton } from '../../ui/overlays/dialog.tsx';
import { type Column, Loaded, Section, Table } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type SettingsText, useSettingsText } from '../text.ts';
import { keyColumns, OwnKeys } from './own-keys.tsx';
import { type MemberApiKey, useKeyActions, useOrgKeys } from './queries.ts';

/** One's own API keys; for administrators also those of everybody. */
export function KeysPage() {
  const { data: own } = useOwnPermissions();
  return (
    <>
      <OwnKeys />
      {own !== undefined && isAtLeast(own.role, 'admin') && <OrgKeys caller={own.role} />}
    </>
  );
}

/** The keys of everybody. `caller` is the role of whoever looks at them. */
function OrgKeys({ caller }: { readonly caller: Role }) {
  const all = useSettingsText();
  const text = all.keys;
  const { userId } = useSession();
  const { data: members = [] } = useMembers();
  const whyNot = (key: MemberApiKey) =>
    key.user_id === userId || mayGrant(caller, roleOf(members, key.user_id)) ? undefined : text.ownerOnly;
  return (
    <Section title={text.all} lead={text.allLead}>
      <Loaded query={useOrgKeys()}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.allNone}</p>
          ) : (
            <Table label={text.all} columns={columnsOf(all, whyNot)} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function roleOf(members: readonly Member[], id: string): Role {
  return members.find(({ user_id: userId }) => userId === id)?.role ?? 'member';
}

function columnsOf(
  text: SettingsText,
  whyNot: (key: MemberApiKey) => string | undefined,
): readonly Column<MemberApiKey>[] {
  const [first, ...others] = keyColumns<MemberApiKey>(text);
  const owner: Column<MemberApiKey> = {
    key: 'owner',
    title: text.keys.owner,
    cell: ({ email }) => showInvisible(email),
  };
  const acts: Column<MemberApiKey> = {
    key: 'acts',
    title: text.actions,
    isActions: true,
    cell: (key) => <RevokeButton apiKey={key} reason={whyNot(key)} />,
  };
  return [...(first === undefined ? [] : [first]), owner, ...others, acts];
}

function RevokeButton({ apiKey, reason }: { readonly apiKey: MemberApiKey; readonly reason: string | undefined }) {
  const [{ keys: text }, { revokeOf }] = [useSettingsText(), useKeyActions()];
  const name = showInvisible(apiKey.name);
  return (
    <ConfirmButton
      variant="quiet"
      aria-label={text.revokeOne(name)}
      reason={reason}
      question={text.revokeAsk(name)}
      why={text.revokeWhy}
      action={text.revoke}
      done={text.revoked(name)}
      onConfirm={async () => revokeOf(apiKey.id)}
    />
  );
}

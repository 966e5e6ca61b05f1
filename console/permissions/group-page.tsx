import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { BackLink } from '../ui/controls/button.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { Empty, Loaded, Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { GroupRights } from './group-rights.tsx';
import { GroupMembers } from './group-members.tsx';
import { type PermissionGroup, useGroupActions, useGroups } from './queries.ts';
import { bodyOf, valuesOf } from './group-values.ts';
import { usePermissionsText } from './text.ts';

/** One permission group: what its members may do, who they are, and what holds for each of them. */
export function GroupPage() {
  const text = usePermissionsText();
  const { orgId, groupId } = useParams({ from: '/o/$orgId/permissions/$groupId' });
  const groups = useGroups();
  const group = groups.data?.find(({ id }) => id === groupId);
  return (
    <Page
      title={group === undefined ? text.title : showInvisible(group.name)}
      back={<BackLink to="/o/$orgId/permissions" params={{ orgId }} label={text.back} />}
      actions={group && <GroupMenu group={group} />}
    >
      <Loaded query={groups}>
        {(all) =>
          group === undefined ? <Empty title={text.gone} /> : <GroupTabs key={groupId} group={group} groups={all} />
        }
      </Loaded>
    </Page>
  );
}

/** A copy of a group has no members: nobody gets rights by it unasked. */
function GroupMenu({ group }: { readonly group: PermissionGroup }) {
  const [{ add }, refusal] = [useGroupActions(), useRefusal('settings.manage')];
  const show = useShowAdded('/o/$orgId/permissions/$groupId', usePermissionsText().copied);
  const body = bodyOf(valuesOf(group));
  return (
    <RecordMenu
      kind="permission-group"
      name={group.name}
      body={body}
      mayAdd={refusal === undefined}
      onDuplicate={async (name) => void show(await add({ ...body, name }))}
    />
  );
}

interface GroupTabsProps {
  readonly group: PermissionGroup;
  readonly groups: readonly PermissionGroup[];
}

function GroupTabs({ group, groups }: GroupTabsProps) {
  const text = usePermissionsText();
  const refusal = useRefusal('settings.manage');
  const navigate = useNavigate({ from: '/o/$orgId/permissions/$groupId' });
  const { tab } = useSearch({ from: '/o/$orgId/permissions/$groupId' });
  const tabs = useMemo(
    () => [
      {
        value: 'rights',
        label: text.tabs.rights,
        content: <GroupRights group={group} groups={groups} refusal={refusal} />,
      },
      {
        value: 'members',
        label: text.tabs.members,
        count: group.user_ids.length,
        content: <GroupMembers group={group} refusal={refusal} />,
      },
    ],
    [text, group, groups, refusal],
  );
  return (
    <div className="form">
      <Tabs
        label={text.title}
        tabs={tabs}
        value={tab}
        isKept
        onValueChange={(value) => void navigate({ search: value === 'rights' ? {} : { tab: value }, replace: true })}
      />
    </div>
  );
}

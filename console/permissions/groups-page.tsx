import { ShieldCheck } from 'lucide-react';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber } from '../core/text/formats.ts';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { ListPage, RecordName } from '../ui/list-page/list-page.tsx';
import { type Column, Table } from '../ui/page/page.tsx';
import { type PermissionGroup, useCatalog, useGroupActions, useGroups } from './queries.ts';
import { type PermissionsText, usePermissionsText } from './text.ts';

/** The permission groups of the organization. */
export function GroupsPage() {
  const text = usePermissionsText();
  const { data: catalog = [] } = useCatalog();
  return (
    <ListPage
      text={{ ...text, addLead: text.emptyWhy }}
      icon={<ShieldCheck />}
      query={useGroups()}
      add={{ right: 'settings.manage', form: NewGroupForm }}
    >
      {(rows) => (
        <Table label={text.title} columns={columnsOf(text, catalog.length)} rows={rows} keyOf={({ id }) => id} />
      )}
    </ListPage>
  );
}

function NewGroupForm() {
  const text = usePermissionsText();
  const [{ add }, show] = [useGroupActions(), useShowAdded('/o/$orgId/permissions/$groupId')];
  return (
    <Form submitLabel={text.add} onSubmit={async ({ name = '' }) => show(await add({ name }))}>
      <Field label={text.name} name="name" required />
    </Form>
  );
}

function columnsOf(text: PermissionsText, allRights: number): readonly Column<PermissionGroup>[] {
  return [
    { key: 'name', title: text.name, cell: (group) => <GroupName group={group} /> },
    {
      key: 'rights',
      title: text.rights,
      cell: ({ permissions }) => text.rightsOf(permissions.length, Math.max(allRights, permissions.length)),
    },
    { key: 'limits', title: text.limits, cell: ({ limits }) => limitWords(limits, text) },
    { key: 'members', title: text.members, isNumber: true, cell: ({ user_ids: ids }) => formatNumber(ids.length) },
  ];
}

/** Returns the limits of a group in a few words. */
function limitWords(limits: PermissionGroup['limits'], text: PermissionsText): string {
  const { token_budget: tokens, token_window_hours: hours } = limits;
  const { max_concurrent_agents: agents, max_provider_accounts: accounts } = limits;
  const words = [
    ...(tokens === 0 ? [] : [text.budget(tokens, hours)]),
    ...(agents === 0 ? [] : [text.agents(agents)]),
    ...(accounts === 0 ? [] : [text.accounts(accounts)]),
  ];
  return words.length === 0 ? text.noLimits : words.join(', ');
}

function GroupName({ group: { id, name, description } }: { readonly group: PermissionGroup }) {
  const params = { orgId: useOrgId(), groupId: id };
  return <RecordName to="/o/$orgId/permissions/$groupId" params={params} name={name} note={description} />;
}

import { Link, useNavigate } from '@tanstack/react-router';
import { ShieldCheck, ShieldPlus } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber } from '../core/text/numbers.ts';
import base from '../ui/base.module.css';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './groups-page.module.css';
import { type PermissionGroup, useCatalog, useGroupActions, useGroups } from './queries.ts';
import { type PermissionsText, usePermissionsText } from './text.ts';

/** The permission groups of the organization. */
export function GroupsPage() {
  const text = usePermissionsText();
  const [groups, { data: catalog }, refusal] = [useGroups(), useCatalog(), useRefusal('settings.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <ShieldPlus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = groups.data !== undefined && groups.data.length > 0;
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? add : undefined}>
      <Loaded query={groups}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={<ShieldCheck />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <Table
              label={text.title}
              columns={columnsOf(text, catalog?.length ?? 0)}
              rows={rows}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add} description={text.emptyWhy}>
        <NewGroupForm />
      </Dialog>
    </Page>
  );
}

function NewGroupForm() {
  const text = usePermissionsText();
  const [{ add }, navigate, orgId] = [useGroupActions(), useNavigate(), useOrgId()];
  return (
    <Form
      submitLabel={text.add}
      onSubmit={async ({ name = '' }) => {
        const { id } = await add({ name });
        await navigate({ to: '/o/$orgId/permissions/$groupId', params: { orgId, groupId: id } });
      }}
    >
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
  const orgId = useOrgId();
  return (
    <span className={classes.name}>
      <Link to="/o/$orgId/permissions/$groupId" params={{ orgId, groupId: id }} className={base.link}>
        {showInvisible(name)}
      </Link>
      {description !== '' && <span className={classes.soft}>{showInvisible(description)}</span>}
    </span>
  );
}

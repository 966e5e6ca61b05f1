import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Workflow as WorkflowIcon } from 'lucide-react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ActiveSwitch } from './active-switch.tsx';
import { useWorkflows, type Workflow } from './queries.ts';
import { useWorkflowsText, type WorkflowsText } from './text.ts';
import classes from './workflows.module.css';

/** The workflows of the organization, each with what starts it. */
export function WorkflowsPage() {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  const [workflows, refusal] = [useWorkflows(), useRefusal('schedules.manage')];
  const navigate = useNavigate();
  const add = (
    <Button
      look="primary"
      reason={refusal}
      onClick={() => void navigate({ to: '/o/$orgId/workflows/new', params: { orgId } })}
    >
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = workflows.data !== undefined && workflows.data.items.length > 0;
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={workflows}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty icon={<WorkflowIcon />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <WorkflowList workflows={items} total={total} />
              <Pager pages={workflows} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function WorkflowList({ workflows, total }: { readonly workflows: readonly Workflow[]; readonly total: number }) {
  const [text, common] = [useWorkflowsText(), useText().common];
  const navigate = useNavigate({ from: '/o/$orgId/workflows' });
  const { q = '' } = useSearch({ from: '/o/$orgId/workflows' });
  const wanted = q.toLowerCase();
  const shown = workflows.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted));
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={shown.length === total ? undefined : common.of(shown.length, total)}
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text)} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function columnsOf(text: WorkflowsText): readonly Column<Workflow>[] {
  return [
    { key: 'name', title: text.name, cell: (workflow) => <WorkflowName workflow={workflow} /> },
    { key: 'state', title: text.state, cell: (workflow) => <ActiveSwitch workflow={workflow} /> },
    { key: 'trigger', title: text.trigger, cell: ({ trigger_type: type }) => text.triggers[type] },
    {
      key: 'variables',
      title: text.variables,
      cell: ({ variables }) =>
        variables.length === 0 ? text.noVariables : <span>{showInvisible(variables.join(', '))}</span>,
    },
    { key: 'changed', title: text.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}

function WorkflowName({ workflow: { id, name, description, steps } }: { readonly workflow: Workflow }) {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  const words = description === '' && steps.length > 0 ? text.stepCount(steps.length) : description;
  return (
    <span className={classes.name}>
      <Link to="/o/$orgId/workflows/$workflowId" params={{ orgId, workflowId: id }} className={classes.link}>
        {showInvisible(name)}
      </Link>
      {words !== '' && <span className={classes.soft}>{showInvisible(words)}</span>}
    </span>
  );
}

import { Workflow as WorkflowIcon } from 'lucide-react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { type Column, Pager } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ActiveSwitch } from './active-switch.tsx';
import { useWorkflows, type Workflow } from './queries.ts';
import { useWorkflowsText, type WorkflowsText } from './text.ts';

/** The workflows of the organization, each with what starts it. */
export function WorkflowsPage() {
  const [text, workflows] = [useWorkflowsText(), useWorkflows()];
  return (
    <ListPage
      text={text}
      icon={<WorkflowIcon />}
      query={workflows}
      add={{ right: 'schedules.manage', to: '/o/$orgId/workflows/new' }}
    >
      {({ items, total }) => (
        <>
          <SearchedTable
            text={text}
            columns={columnsOf(text)}
            rows={items}
            total={total}
            wordsOf={({ name, description }) => [name, description]}
          />
          <Pager pages={workflows} />
        </>
      )}
    </ListPage>
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
  const note = description === '' && steps.length > 0 ? text.stepCount(steps.length) : description;
  return <RecordName to="/o/$orgId/workflows/$workflowId" params={{ orgId, workflowId: id }} name={name} note={note} />;
}

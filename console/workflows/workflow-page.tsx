import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAgents } from '../agents/queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, timeFromNow } from '../core/text/formats.ts';
import { RunHistory } from '../runs/index.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { ActionButton, ConfirmButton } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, type Column, type Fact, Facts, Loaded, Page, Pager, Section, Table } from '../ui/page/page.tsx';
import { OutsideSections } from '../destinations/index.ts';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ActiveSwitch } from './active-switch.tsx';
import { WorkflowForm } from './form/workflow-form.tsx';
import { bodyOf } from './form/workflow-values.ts';
import {
  type Conversation,
  useConversations,
  useWorkflow,
  useWorkflowActions,
  useWorkflowRecords,
  useWorkflowRuns,
  type Workflow,
} from './queries.ts';
import { useWorkflowsText, type WorkflowsText } from './text.ts';
import { WebhookBox } from './webhook-box.tsx';
import { WorkflowActions } from './workflow-actions.tsx';
import classes from './workflows.module.css';

const PAGE = '/o/$orgId/workflows/$workflowId';

/** One workflow: its prompts and its webhook, its runs with their conversations, and its settings. */
export function WorkflowPage() {
  const { workflowId } = useParams({ from: PAGE });
  const query = useWorkflow(workflowId);
  return (
    <Loaded query={query}>
      {(workflow) => <Shown key={workflow.id} workflow={workflow} onReload={() => void query.refetch()} />}
    </Loaded>
  );
}

interface ShownProps {
  readonly workflow: Workflow;
  readonly onReload: () => void;
}

function Shown({ workflow, onReload }: ShownProps) {
  const text = useWorkflowsText();
  const navigate = useNavigate({ from: PAGE });
  const { orgId } = useParams({ from: PAGE });
  const { tab } = useSearch({ from: PAGE });
  return (
    <Page
      title={showInvisible(workflow.name)}
      back={<BackLink to="/o/$orgId/workflows" params={{ orgId }} label={text.title} />}
      lead={showInvisible(workflow.description)}
      actions={<WorkflowActions workflow={workflow} />}
    >
      <Tabs
        label={text.parts}
        value={tab}
        onValueChange={(chosen) => void navigate({ search: chosen === 'overview' ? {} : { tab: chosen } })}
        tabs={[
          { value: 'overview', label: text.overview, content: <Overview workflow={workflow} /> },
          { value: 'runs', label: text.runs, content: <Runs workflow={workflow} /> },
          { value: 'conversations', label: text.conversations, content: <ConversationList id={workflow.id} /> },
          { value: 'outside', label: text.outside, content: <Outside workflow={workflow} onReload={onReload} /> },
          { value: 'settings', label: text.settings, content: <Settings workflow={workflow} onReload={onReload} /> },
        ]}
      />
    </Page>
  );
}

/** The conversations of a workflow's runs that one may read. */
function ConversationList({ id }: { readonly id: string }) {
  const text = useWorkflowsText();
  const conversations = useConversations(id);
  return (
    <Loaded query={conversations}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="measure soft font-normal">{text.noConversations}</p>
        ) : (
          <>
            <Table label={text.conversations} columns={columnsOf(text, id)} rows={items} keyOf={(chat) => chat.id} />
            <Pager pages={conversations} />
          </>
        )
      }
    </Loaded>
  );
}

function columnsOf(text: WorkflowsText, workflowId: string): readonly Column<Conversation>[] {
  return [
    { key: 'title', title: text.conversation, cell: (chat) => <ChatLink chat={chat} /> },
    { key: 'changed', title: text.changed, cell: ({ updated_at: at }) => timeFromNow(at) },
    {
      key: 'remove',
      title: text.action,
      isActions: true,
      cell: (chat) => <RemoveButton chat={chat} workflowId={workflowId} />,
    },
  ];
}

function titleOf({ title }: Conversation, text: WorkflowsText): string {
  return title === '' ? text.untitled : showInvisible(title);
}

function ChatLink({ chat }: { readonly chat: Conversation }) {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: chat.id }} className="link">
      {titleOf(chat, text)}
    </Link>
  );
}

function RemoveButton({ chat, workflowId }: { readonly chat: Conversation; readonly workflowId: string }) {
  const text = useWorkflowsText();
  const { removeConversation, restoreConversation } = useWorkflowActions(workflowId);
  const [toast, refusal, { data: user }] = [useToast(), useRefusal('schedules.manage'), useCurrentUser()];
  const onError = ({ message }: Error) => toast(message, 'failed');
  const undo = { label: text.undo, run: () => restoreConversation.mutate(chat.id, { onError }) };
  const isOwn = chat.user_id === user?.id;
  const remove = async () => {
    await removeConversation.mutateAsync(chat.id);
    toast(text.conversationRemoved, 'done', isOwn ? undo : undefined);
  };
  if (isOwn)
    return (
      <ActionButton reason={refusal} action={remove}>
        {text.removeConversation}
      </ActionButton>
    );
  return (
    <ConfirmButton
      reason={refusal}
      question={text.removeConversationTitle(titleOf(chat, text))}
      why={text.removeConversationWhy}
      action={text.removeConversation}
      onConfirm={remove}
    />
  );
}

function Overview({ workflow }: { readonly workflow: Workflow }) {
  const text = useWorkflowsText();
  const { prompt_template: prompt, steps } = workflow;
  const prompts = steps.length > 0 ? steps : [{ name: text.prompt, prompt_template: prompt, approval: false }];
  return (
    <div className="sections">
      <Facts facts={useFacts(workflow, text)} />
      <WebhookBox workflow={workflow} />
      <Section title={steps.length > 0 ? text.steps : text.prompt}>
        {prompts.map(({ name, prompt_template: template, approval }) => (
          <div key={name}>
            {steps.length > 0 && (
              <h3 className={classes.stepName}>
                {name} {approval && <Badge tone="warn">{text.approval}</Badge>}
              </h3>
            )}
            <CodeBlock code={template} language="" />
          </div>
        ))}
      </Section>
    </div>
  );
}

function useFacts(workflow: Workflow, text: WorkflowsText): readonly Fact[] {
  const { agent_id: agentId, variables, next_run_at: next, pause_reason: paused } = workflow;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId);
  return [
    { label: text.state, value: <ActiveSwitch workflow={workflow} /> },
    { label: text.trigger, value: text.triggers[workflow.trigger_type] },
    ...(next === null ? [] : [{ label: text.nextRun, value: `${dateAndTime(next)} (${timeFromNow(next)})` }]),
    ...(paused === null ? [] : [{ label: text.paused, value: showInvisible(paused) }]),
    { label: text.agent, value: showInvisible(agent?.name ?? agentId) },
    {
      label: text.variables,
      value:
        variables.length === 0 ? (
          text.noVariables
        ) : (
          <span className={classes.chips}>
            {variables.map((name) => (
              <code key={name} className={classes.chip}>
                {showInvisible(name)}
              </code>
            ))}
          </span>
        ),
    },
  ];
}

function Runs({ workflow }: { readonly workflow: Workflow }) {
  const text = useWorkflowsText();
  return <RunHistory runs={useWorkflowRuns(workflow.id)} workflowId={workflow.id} none={text.noRuns} />;
}

function Outside({ workflow, onReload }: ShownProps) {
  const { change } = useWorkflowRecords();
  return (
    <div className="sections">
      <OutsideSections
        source={{ kind: 'workflows', id: workflow.id }}
        record={workflow}
        onChange={async (changes, version) => change(workflow.id, changes, version)}
        onReload={onReload}
      />
    </div>
  );
}

function Settings({ workflow, onReload }: ShownProps) {
  const text = useWorkflowsText();
  const { change } = useWorkflowRecords();
  return (
    <WorkflowForm
      workflow={workflow}
      onReload={onReload}
      done={text.saved}
      onSubmit={async ({ changes, overwrite }) =>
        change(workflow.id, bodyOf(changes), overwrite ? undefined : workflow.updated_at)
      }
    />
  );
}

/** Adds a workflow, which is off until somebody switches it on. */
export function NewWorkflowPage() {
  const [text, orgId, { add }] = [useWorkflowsText(), useOrgId(), useWorkflowRecords()];
  const show = useShowAdded('/o/$orgId/workflows/$workflowId', text.added);
  return (
    <Page title={text.add} back={<BackLink to="/o/$orgId/workflows" params={{ orgId }} label={text.title} />}>
      <WorkflowForm
        submitLabel={text.add}
        onSubmit={async ({ values }) => {
          const { name, agent_id: agentId } = values;
          await show(await add({ ...bodyOf(values), name, agent_id: agentId ?? '' }));
        }}
      />
    </Page>
  );
}

import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { FlaskConical, MessageSquare } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useBeginChat } from '../chats/index.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { useRecordDrafts } from '../ui/form/use-record.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Page } from '../ui/page/page.tsx';
import { PageTabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './agents.module.css';
import { PartLinks } from './part-links.tsx';
import { type AgentRecord, bodyOf, useAgent, useAgentActions } from './queries.ts';
import { AGENT_JSON, valuesOf } from './agent-values.ts';
import { useAgentsText } from './text.ts';

const TryAgent = lazy(async () => ({ default: (await import('./try-agent.tsx')).TryAgent }));

/** What stands around the pages of an agent: its name, what can be done with it, and what leads from one to another. */
export function AgentPage(): ReactNode {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId' });
  const agent = useAgent(agentId);
  return <Loaded query={agent}>{(record) => <OpenAgent key={agentId} agent={record} />}</Loaded>;
}

function OpenAgent({ agent }: { readonly agent: AgentRecord }): ReactNode {
  const text = useAgentsText();
  const params = { orgId: useOrgId(), agentId: agent.id };
  const [isTrying, setIsTrying] = useState(false);
  return (
    <Page
      title={showInvisible(agent.name)}
      back={<BackLink to="/o/$orgId/agents" params={params} label={text.title} />}
      lead={agent.is_active ? undefined : text.inactiveWhy}
      actions={<AgentActions agent={agent} isTrying={isTrying} onTry={() => setIsTrying(!isTrying)} />}
    >
      <div className={classes.page}>
        <div className="flex-1 min-w-0">
          <PageTabs label={text.pages}>
            <PartLinks to="/o/$orgId/agents/$agentId" params={params} />
            <Link to="/o/$orgId/agents/$agentId/memories" params={params}>
              {text.memories}
            </Link>
            <Link to="/o/$orgId/agents/$agentId/prompt" params={params}>
              {text.seen}
            </Link>
          </PageTabs>
          <Outlet />
        </div>
        <Suspense>{isTrying && <TryAgent agent={agent} onClose={() => setIsTrying(false)} />}</Suspense>
      </div>
    </Page>
  );
}

interface AgentActionsProps {
  readonly agent: AgentRecord;
  readonly isTrying: boolean;
  /** Opens the chat beside the form in which the agent is tried, or closes it. */
  readonly onTry: () => void;
}

function AgentActions({ agent, isTrying, onTry }: AgentActionsProps): ReactNode {
  const text = useAgentsText();
  const [orgId, navigate, toast, begin] = [useOrgId(), useNavigate(), useToast(), useBeginChat()];
  const [refusal, actions] = [useRefusal('agents.manage'), useAgentActions()];
  const [drafts, show] = [useRecordDrafts(), useShowAdded('/o/$orgId/agents/$agentId')];
  const off = agent.is_active ? undefined : text.inactiveWhy;
  const run = (act: () => Promise<void>) => {
    act().catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'));
  };
  const remove = async () => {
    await actions.remove(agent.id);
    toast(text.deleted(showInvisible(agent.name)), 'done', {
      label: text.undo,
      run: () => run(async () => actions.restore(agent.id)),
    });
    // What was changed here and not saved is gone with it.
    drafts.forget(`agent.${agent.id}`);
    await navigate({ to: '/o/$orgId/agents', params: { orgId }, ignoreBlocker: true });
  };
  return (
    <>
      <Button
        icon={MessageSquare}
        variant="primary"
        reason={off}
        busy={begin.isPending}
        onClick={() => begin.mutate({ agentId: agent.id, content: '', files: [] })}
      >
        {text.chat}
      </Button>
      <Button icon={FlaskConical} reason={off} title={text.tryLead} aria-expanded={isTrying} onClick={onTry}>
        {text.try}
      </Button>
      <RecordMenu
        kind="agent"
        name={agent.name}
        body={AGENT_JSON.write(valuesOf(agent))}
        mayAdd={refusal === undefined}
        onDuplicate={async (name) => void show(await actions.add({ ...bodyOf(agent), name }))}
        remove={{ label: text.delete, reason: refusal, run: () => run(remove) }}
      />
    </>
  );
}

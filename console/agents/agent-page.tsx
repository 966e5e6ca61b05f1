import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { MessageSquare, Play, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useBeginChat } from '../chats/index.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { useRecordDrafts } from '../ui/form/record-drafts.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { PageTabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
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
  return (
    <Page
      title={showInvisible(agent.name)}
      back={
        <BackLink to="/o/$orgId/agents" params={params}>
          {text.title}
        </BackLink>
      }
      lead={agent.is_active ? undefined : text.inactiveWhy}
      actions={<AgentActions agent={agent} />}
    >
      <PageTabs label={text.pages}>
        <Link to="/o/$orgId/agents/$agentId" params={params} activeOptions={{ exact: true, includeSearch: false }}>
          {text.agent}
        </Link>
        <Link to="/o/$orgId/agents/$agentId/memories" params={params}>
          {text.memories}
        </Link>
        <Link to="/o/$orgId/agents/$agentId/prompt" params={params}>
          {text.seen}
        </Link>
      </PageTabs>
      <Outlet />
    </Page>
  );
}

function AgentActions({ agent }: { readonly agent: AgentRecord }): ReactNode {
  const text = useAgentsText();
  const [orgId, navigate, toast, begin] = [useOrgId(), useNavigate(), useToast(), useBeginChat()];
  const [refusal, actions] = [useRefusal('agents.manage'), useAgentActions()];
  const drafts = useRecordDrafts();
  const [isTrying, setIsTrying] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const off = agent.is_active ? undefined : text.inactiveWhy;
  const run = (act: () => Promise<void>) => {
    setIsBusy(true);
    act()
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsBusy(false));
  };
  const copy = async (name: string) => {
    const added = await actions.add({ ...bodyOf(agent), name });
    void navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId: added.id } });
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
        look="primary"
        reason={off}
        busy={begin.isPending}
        onClick={() => begin.mutate({ agentId: agent.id, content: '', files: [] })}
      >
        <MessageSquare aria-hidden />
        {text.chat}
      </Button>
      <Button reason={off} onClick={() => setIsTrying(true)}>
        <Play aria-hidden />
        {text.try}
      </Button>
      <Button look="danger" reason={refusal} busy={isBusy} onClick={() => run(remove)}>
        <Trash2 aria-hidden />
        {text.delete}
      </Button>
      <RecordMenu
        kind="agent"
        name={agent.name}
        body={AGENT_JSON.write(valuesOf(agent))}
        mayAdd={refusal === undefined}
        onDuplicate={copy}
      />
      <Suspense>{isTrying && <TryAgent agent={agent} onClose={() => setIsTrying(false)} />}</Suspense>
    </>
  );
}

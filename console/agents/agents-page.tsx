import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { ListPage, PagedTable, RecordName } from '../ui/list-page/list-page.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, type Column } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { TemplateList } from './template-list.tsx';
import { type Agent, type AgentTemplate, useAddAgent, useAgentPages } from './queries.ts';
import { type AgentsText, useAgentsText } from './text.ts';

/** The agents of the organization. */
export function AgentsPage() {
  const [text, orgId] = [useAgentsText(), useOrgId()];
  const { q = '' } = useSearch({ from: '/o/$orgId/agents' });
  const agents = useAgentPages(q === '' ? {} : { q });
  return (
    <ListPage
      text={text}
      icon={<Bot />}
      query={agents}
      isNarrowed={q !== ''}
      add={{ right: 'agents.manage', title: text.fromTemplate, form: TemplateChoice }}
    >
      {() => <PagedTable text={text} columns={columnsOf(text, orgId)} pages={agents} />}
    </ListPage>
  );
}

/** Adds an agent that begins as a copy of a template. */
function TemplateChoice({ onDone }: { readonly onDone: () => void }) {
  const text = useAgentsText();
  const [toast, adding] = [useToast(), useAddAgent()];
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, {
      onSuccess: ({ id: agentId, name }) => {
        toast(text.added(showInvisible(name)));
        onDone();
        void navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId } });
      },
      onError: (error) => toast(error.message, 'failed'),
    });
  return (
    <>
      <p className="mb-3">
        <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass()}>
          {text.fromNothing}
        </Link>
      </p>
      <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />
    </>
  );
}

function columnsOf(words: AgentsText, orgId: string): readonly Column<Agent>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ id, name, description }) => (
        <RecordName to="/o/$orgId/agents/$agentId" params={{ orgId, agentId: id }} name={name} note={description} />
      ),
    },
    {
      key: 'tools',
      title: words.tools,
      cell: ({ tools, skills }) => `${words.toolCount(tools.length)}, ${words.skillCount(skills.length)}`,
    },
    {
      key: 'state',
      title: words.state,
      cell: ({ is_active: isActive }) => (
        <Badge tone={isActive ? 'good' : 'calm'}>{isActive ? words.active : words.inactive}</Badge>
      ),
    },
    { key: 'changed', title: words.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}

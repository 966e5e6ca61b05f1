import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import base from '../ui/base.module.css';
import { buttonClass } from '../ui/controls/button.tsx';
import { AddButton, ListPage } from '../ui/list-page/list-page.tsx';
import { PagedTable } from '../ui/list-page/list-tables.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge } from '../ui/page/badge.tsx';
import type { Column } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './agents-page.module.css';
import templateClasses from './template-list.module.css';
import { TemplateList } from './template-list.tsx';
import { type Agent, type AgentTemplate, useAddAgent, useAgentPages } from './queries.ts';
import { type AgentsText, useAgentsText } from './text.ts';

/** The agents of the organization. */
export function AgentsPage() {
  const [text, orgId] = [useAgentsText(), useOrgId()];
  const { q = '' } = useSearch({ from: '/o/$orgId/agents' });
  const [agents, refusal] = [useAgentPages(q === '' ? {} : { q }), useRefusal('agents.manage')];
  const [isAdding, setIsAdding] = useState(false);
  return (
    <ListPage
      title={text.title}
      query={agents}
      isNarrowed={q !== ''}
      empty={{ icon: <Bot />, title: text.empty, why: text.emptyWhy }}
      add={<AddButton label={text.add} reason={refusal} onClick={() => setIsAdding(true)} />}
      dialogs={<TemplateDialog open={isAdding} onClose={() => setIsAdding(false)} />}
    >
      {() => (
        <PagedTable
          label={text.title}
          searchLabel={text.filter}
          columns={columnsOf(text, orgId)}
          pages={agents}
          keyOf={({ id }) => id}
          none={text.none}
          found={text.found}
        />
      )}
    </ListPage>
  );
}

interface TemplateDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds an agent that begins as a copy of a template. */
function TemplateDialog({ open, onClose }: TemplateDialogProps) {
  const text = useAgentsText();
  const [toast, adding] = [useToast(), useAddAgent()];
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, {
      onSuccess: ({ id: agentId, name }) => {
        toast(text.added(showInvisible(name)));
        onClose();
        void navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId } });
      },
      onError: (error) => toast(error.message, 'failed'),
    });
  return (
    <Dialog open={open} onClose={onClose} title={text.fromTemplate}>
      <p className={templateClasses.first}>
        <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass()}>
          {text.fromNothing}
        </Link>
      </p>
      <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />
    </Dialog>
  );
}

function columnsOf(words: AgentsText, orgId: string): readonly Column<Agent>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ id, name, description }) => (
        <span className={base.column}>
          <Link to="/o/$orgId/agents/$agentId" params={{ orgId, agentId: id }}>
            {showInvisible(name)}
          </Link>
          {description !== '' && <span className={classes.description}>{showInvisible(description)}</span>}
        </span>
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

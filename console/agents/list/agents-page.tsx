import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchField } from '../../ui/controls/search-field.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Empty } from '../../ui/page/empty.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Pager } from '../../ui/page/pager.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from './agents-page.module.css';
import { type Agent, useAgentPages } from '../queries.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { type AgentsText, useAgentsText } from '../text.ts';

/** The agents of the organization. */
export function AgentsPage() {
  const text = useAgentsText();
  const { q = '' } = useSearch({ from: '/o/$orgId/agents' });
  const [agents, refusal] = [useAgentPages(q === '' ? {} : { q }), useRefusal('agents.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = q !== '' || (agents.data !== undefined && agents.data.items.length > 0);
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={agents}>
        {({ items, total }) =>
          !hasSome ? (
            <Empty icon={<Bot />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <AgentList agents={items} total={total} q={q} />
              <Pager pages={agents} />
            </>
          )
        }
      </Loaded>
      <TemplateDialog open={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}

interface AgentListProps {
  readonly agents: readonly Agent[];
  readonly total: number;
  /** What they are narrowed by; '' for nothing. */
  readonly q: string;
}

function AgentList({ agents, total, q }: AgentListProps) {
  const text = useAgentsText();
  const [orgId, navigate] = [useOrgId(), useNavigate({ from: '/o/$orgId/agents' })];
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={q === '' ? undefined : text.found(total)}
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {agents.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, orgId)} rows={agents} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function columnsOf(words: AgentsText, orgId: string): readonly Column<Agent>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ id, name, description }) => (
        <span className={classes.name}>
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

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchField } from '../../ui/controls/search-field.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Empty } from '../../ui/page/empty.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Page } from '../../ui/page/page.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from './agents-page.module.css';
import { type Agent, useAgents } from '../queries.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { type AgentsText, useAgentsText } from '../text.ts';

/** The agents of the organization. */
export function AgentsPage() {
  const text = useAgentsText();
  const [agents, refusal] = [useAgents(), useRefusal('agents.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = agents.data !== undefined && agents.data.items.length > 0;
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={agents}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty icon={<Bot />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <AgentList agents={items} total={total} />
          )
        }
      </Loaded>
      <TemplateDialog open={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}

function AgentList({ agents, total }: { readonly agents: readonly Agent[]; readonly total: number }) {
  const [text, common] = [useAgentsText(), useText().common];
  const [orgId, navigate] = [useOrgId(), useNavigate({ from: '/o/$orgId/agents' })];
  const { q = '' } = useSearch({ from: '/o/$orgId/agents' });
  const wanted = q.toLowerCase();
  const shown = agents.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted));
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
        <Table label={text.title} columns={columnsOf(text, orgId)} rows={shown} keyOf={({ id }) => id} />
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

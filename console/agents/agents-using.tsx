import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './agents-using.module.css';
import { type Use, useAgentsUsing } from './queries.ts';
import { useAgentsText } from './text.ts';

interface AgentsUsingProps {
  readonly use: Use;
  /** What is said where no agent uses it. */
  readonly none: string;
}

/** The agents that use a chain, an MCP server or a model profile; nothing to those who may not see agents. */
export function AgentsUsing({ use, none }: AgentsUsingProps): ReactNode {
  return useCan('agents.view') ? <Using use={use} none={none} /> : null;
}

function Using({ use, none }: AgentsUsingProps): ReactNode {
  const [text, orgId] = [useAgentsText(), useOrgId()];
  const agents = useAgentsUsing(use);
  return (
    <>
      <Loaded query={agents}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes.none}>{none}</p>
          ) : (
            <ul className={classes.agents}>
              {items.map(({ id, name, is_active: isActive }) => (
                <li key={id}>
                  <Link to="/o/$orgId/agents/$agentId" params={{ orgId, agentId: id }}>
                    {showInvisible(name)}
                  </Link>
                  {!isActive && <Badge>{text.inactive}</Badge>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Pager pages={agents} />
    </>
  );
}

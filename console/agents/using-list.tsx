import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { Badge, Loaded, Pager, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type AgentFilters, useAgentPages } from './queries.ts';
import { type AgentsText, useAgentsText } from './text.ts';
import classes from './agents.module.css';

/** What agents are asked for by: one record that they can use. */
export type UsedRecord = {
  [Filter in Exclude<keyof AgentFilters, 'q'>]-?: Required<Pick<AgentFilters, Filter>>;
}[Exclude<keyof AgentFilters, 'q'>];

/** The agents that use a record, page by page. */
export function UsingList({ uses }: { readonly uses: UsedRecord }): ReactNode {
  const [text, orgId] = [useAgentsText(), useOrgId()];
  const agents = useAgentPages(uses);
  return (
    <Section title={text.using.title} lead={whyOf(uses, text)}>
      <Loaded query={agents}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">{text.using.none}</p>
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
    </Section>
  );
}

/** Says what else can use the record, as the list knows agents only. */
function whyOf(uses: UsedRecord, { using }: AgentsText): string | undefined {
  if ('knowledge_base_id' in uses) return using.whyChosen;
  return 'provider_chain_id' in uses ? using.whyChain : undefined;
}

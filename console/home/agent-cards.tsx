import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import type { Agent } from '../agents/index.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './agent-cards.module.css';
import { useHomeText } from './text.ts';

const SHOWN = 6;

/** Agents to start a chat with. */
export function AgentCards({ agents }: { readonly agents: readonly Agent[] }) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <section className={classes.section} aria-labelledby="agents">
      <h2 id="agents">{text.agents}</h2>
      <ul className={classes.cards}>
        {agents.slice(0, SHOWN).map(({ id, name, description }) => (
          <li key={id}>
            <Link to="/o/$orgId/chats" params={{ orgId }} search={{ agent: id }} className={classes.card}>
              <Bot aria-hidden />
              <span className={classes.name}>{showInvisible(name)}</span>
              {description !== null && description !== '' && (
                <span className={classes.what}>{showInvisible(description)}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../core/http/use-answer.ts';
import { formatNumber } from '../core/text/formats.ts';
import { Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { components } from '../openapi.ts';
import classes from './agents.module.css';
import { useAgentsText } from './text.ts';

type Prompt = components['schemas']['AgentPrompt'];

/** The whole system prompt of an agent, part by part, and the tools that its model is offered. */
export function SeenPage(): ReactNode {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/prompt' });
  const prompt = useAnswer(['agents', 'prompt', agentId], '/api/agents/{agent_id}/prompt', {
    params: { path: { agent_id: agentId } },
  });
  return <Loaded query={prompt}>{(seen) => <Parts seen={seen} />}</Loaded>;
}

function Parts({ seen }: { readonly seen: Prompt }): ReactNode {
  const text = useAgentsText().sees;
  return (
    <div className="stack gap-3 py-4">
      <p className="muted">{text.lead(formatNumber(seen.characters), formatNumber(seen.estimated_tokens))}</p>
      {seen.parts.map(({ name, text: words, estimated_tokens: tokens }) => (
        <details key={name} className={classes.part} open={name === 'agent'}>
          <summary>
            <strong>{text.parts[name]}</strong> <span className="muted">{text.tokens(tokens)}</span>
          </summary>
          {words !== null && <pre className={classes.seenWords}>{showInvisible(words)}</pre>}
        </details>
      ))}
      {seen.tools.length > 0 && (
        <details className={classes.part}>
          <summary>
            <strong>{text.tools}</strong>
          </summary>
          <ul className={classes.seenTools}>
            {seen.tools.map(({ name, is_whole: isWhole, estimated_tokens: tokens }) => (
              <li key={name}>
                <code>{name}</code>{' '}
                <span className="muted">
                  {isWhole ? text.whole : text.named}, {text.tokens(tokens)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

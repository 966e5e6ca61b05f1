import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import type { AgentRecord } from '../queries.ts';
import { useAgentsText } from '../text.ts';
import classes from './editor.module.css';

/** The agent as the api answers it. */
export function StoredJson({ agent }: { readonly agent: AgentRecord }): ReactNode {
  const text = useAgentsText().editor;
  return (
    <div className={classes.fields}>
      <p className={classes.lead}>{text.jsonLead}</p>
      <CodeBlock code={JSON.stringify(agent, undefined, 2)} language="json" />
    </div>
  );
}

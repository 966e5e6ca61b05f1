import type { ReactNode } from 'react';
import { CodeBlock } from '../code/code-block.tsx';

/** Shows the source of a diagram, in Mermaid. */
export function DiagramSource({ code }: { readonly code: string }): ReactNode {
  return <CodeBlock code={code} language="mermaid" />;
}

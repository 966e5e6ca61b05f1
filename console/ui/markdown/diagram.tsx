import { type ReactNode, lazy, Suspense } from 'react';
import { DiagramSource } from './diagram-source.tsx';

interface DiagramProps {
  /** The source, in Mermaid. */
  readonly code: string;
}

// Few texts have one. A page that cannot load what draws them shows their source.
const DrawnDiagram = lazy(async () =>
  import('./drawn-diagram.tsx').then(
    ({ DrawnDiagram: component }) => ({ default: component }),
    () => ({ default: DiagramSource }),
  ),
);

/** Shows a diagram as a picture, and until that is drawn its source. */
export function Diagram(props: DiagramProps): ReactNode {
  return (
    <Suspense fallback={<DiagramSource {...props} />}>
      <DrawnDiagram {...props} />
    </Suspense>
  );
}

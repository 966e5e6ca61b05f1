import { Badge } from '../ui/page/badge.tsx';
import type { KnowledgeBase } from './queries.ts';
import { useKnowledgeText } from './text.ts';

const TONES = { off: 'calm', working: 'calm', waiting: 'warn', ready: 'good' } as const;

/** How far a knowledge base can be searched by meaning. */
export function EmbeddingBadge({ base }: { readonly base: KnowledgeBase }) {
  const { embedding: words } = useKnowledgeText();
  const { status, passages } = base.embedding;
  return (
    <Badge tone={TONES[status]}>
      {words[status]}
      {status === 'working' && ` · ${words.progress(passages, base.passages)}`}
    </Badge>
  );
}

import type { ReactNode } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../controls/button.tsx';
import { Empty } from './empty.tsx';
import { Skeleton } from './skeleton.tsx';

/** What is being read: the answer of `useQuery`, or of `usePages`. */
export interface Reading<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: Reading<T>;
  readonly children: (data: T) => ReactNode;
}

/** Shows what was read; until then a skeleton, and when that fails why, with a button that tries again. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const text = useText();
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <Skeleton />;
  return (
    <Empty
      title={titleOf(query.error, text.problem)}
      action={<Button onClick={() => void query.refetch()}>{text.common.retry}</Button>}
    >
      {query.error.message}
    </Empty>
  );
}

function titleOf(error: Error, words: { title: string; notThere: string; forbidden: string }): string {
  if (!(error instanceof Problem)) return words.title;
  if (error.status === 404) return words.notThere;
  return error.status === 403 ? words.forbidden : words.title;
}

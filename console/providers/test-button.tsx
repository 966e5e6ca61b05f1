import { CircleCheck, CircleX } from 'lucide-react';
import { Button } from '../ui/controls/button.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './providers.module.css';
import { useTestProvider } from './queries.ts';
import { useProvidersText } from './text.ts';

interface TestButtonProps {
  readonly id: string;
  /** Why it cannot be tested; undefined when it can. */
  readonly reason: string | undefined;
}

/** Asks an account for one word, and says beside the button how that went. */
export function TestButton({ id, reason }: TestButtonProps) {
  const text = useProvidersText().test;
  const test = useTestProvider();
  return (
    <span className={classes.test}>
      <Button busy={test.isPending} reason={reason} onClick={() => test.mutate(id)}>
        {test.isPending ? text.testing : text.test}
      </Button>
      <TestResult test={test} />
    </span>
  );
}

/** Says how a test went: how long the answer took, or why there was none. */
export function TestResult({ test }: { readonly test: ReturnType<typeof useTestProvider> }) {
  const text = useProvidersText().test;
  const { data, error, isPending } = test;
  const why = error?.message ?? (data?.ok === false ? (data.error ?? '') : undefined);
  return (
    <output className={classes.result}>
      {isPending ? null : why !== undefined ? (
        <span className={classes.failed}>
          <CircleX aria-hidden />
          {text.failed(showInvisible(why))}
        </span>
      ) : (
        data !== undefined && (
          <span className={classes.worked}>
            <CircleCheck aria-hidden />
            {text.worked(showInvisible(data.model ?? ''), data.latency_ms ?? 0)}
          </span>
        )
      )}
    </output>
  );
}

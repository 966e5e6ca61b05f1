import { CircleCheck, CircleX } from 'lucide-react';
import { useNow } from '../core/clock.ts';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './providers.module.css';
import { isFailing, type Provider, useTestProvider } from './queries.ts';
import { useProvidersText } from './text.ts';

const TONES = { active: 'good', failing: 'danger', cooling_down: 'warn', disabled: 'danger' } as const;

/**
 * The state of an account; while it cools down, with the time that is left of that, and why its last call failed while
 * that keeps nobody from using it.
 */
export function AccountStatus({ account }: { readonly account: Provider }) {
  const text = useProvidersText();
  const { status, cooldown_until: until, last_failure: failure, last_failed_at: failedAt } = account;
  const shown = isFailing(account) ? 'failing' : status;
  return (
    <span className="column items-start min-w-0">
      <Badge tone={TONES[shown]}>{text.status[shown]}</Badge>
      {status === 'cooling_down' && until !== null && <Cooldown until={until} />}
      {shown === 'failing' && (
        <span className={classes.soft}>
          {text.lastCallFailed(showInvisible(failure ?? ''), failedAt === null ? '' : timeFromNow(failedAt))}
        </span>
      )}
    </span>
  );
}

function Cooldown({ until }: { readonly until: string }) {
  const text = useProvidersText();
  const seconds = Math.ceil((Date.parse(until) - useNow()) / 1_000);
  return (
    <span className={classes.soft} role="timer">
      {seconds > 0 ? text.cooledIn(seconds) : text.cooled}
    </span>
  );
}

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

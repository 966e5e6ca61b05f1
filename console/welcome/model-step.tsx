import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Plug, Sparkles } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DEMO_TYPE } from '../../domain/provider-chains/index.ts';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { AddAccount, isFailing, type Provider, useProviders } from '../providers/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useWelcomeText } from './text.ts';
import classes from './cards.module.css';

/**
 * Chooses between the demo model, which every organization has until it has an account, and an account of one's own.
 */
export function ModelStep({ onDone }: { readonly onDone: () => void }) {
  const [text, common] = [useWelcomeText(), useText().common];
  const known = useKnownAccount(onDone);
  const [hasKey, setHasKey] = useState(false);
  const mayAdd = useCan('providers.manage');
  if (hasKey)
    return (
      <AddAccount
        actions={<Button onClick={() => setHasKey(false)}>{common.back}</Button>}
        whenFailed={known === undefined && <Button onClick={onDone}>{text.demoInstead}</Button>}
        onDone={onDone}
      />
    );
  const first = known ?? { title: text.demo, words: text.demoWhy, icon: <Sparkles aria-hidden />, run: onDone };
  const own = {
    title: text.key,
    words: text.keyWhy,
    icon: <KeyRound aria-hidden />,
    run: () => setHasKey(true),
  };
  return <Cards cards={mayAdd ? [first, own] : [first]} />;
}

/** Returns what goes on with an account that is there already, or mends it when none works; undefined for none. */
function useKnownAccount(onDone: () => void) {
  const [text, orgId, navigate] = [useWelcomeText(), useOrgId(), useNavigate()];
  const accounts = useProviders(useCan('providers.view')).data ?? [];
  const real = accounts.filter(({ provider_type: type }) => type !== DEMO_TYPE);
  const account = real.find((each) => whyFailing(each) === undefined) ?? real[0];
  if (account === undefined) return undefined;
  const [name, why, icon] = [showInvisible(account.name), whyFailing(account), <Plug key="plug" aria-hidden />];
  if (why === undefined) return { title: text.known(name), words: text.knownWhy, icon, run: onDone };
  const mend = () =>
    void navigate({ to: '/o/$orgId/providers/$providerId', params: { orgId, providerId: account.id } });
  return { title: text.mend(name), words: showInvisible(why), icon, run: mend };
}

function whyFailing(account: Provider): string | undefined {
  return account.disabled_reason ?? (isFailing(account) ? account.last_failure : null) ?? undefined;
}

interface Card {
  readonly title: string;
  readonly words: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** A few ways to go on, each said in a sentence. */
function Cards({ cards }: { readonly cards: readonly Card[] }) {
  return (
    <ul className={classes.cards}>
      {cards.map(({ title, words, icon, run }) => (
        <li key={title}>
          <button type="button" className={classes.card} onClick={run}>
            {icon}
            <span>
              <strong>{title}</strong>
              <span className={classes.words}>{words}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

import { useLoaderData, useNavigate } from '@tanstack/react-router';
import { KeyRound, Plug, Sparkles } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DEMO_TYPE } from '../../domain/provider-chains.ts';
import { type AgentTemplate, useAddAgent } from '../agents/queries.ts';
import { TemplateList } from '../agents/template-list.tsx';
import { EntryPage } from '../auth/entry-page.tsx';
import { FirstMessages, useBeginChat } from '../chats/index.ts';
import { useCan, useOwnPermissions } from '../core/permissions.ts';
import { OrgProvider, useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { type Provider, isFailing, useProviders } from '../providers/queries.ts';
import { AddAccount } from '../providers/add-account.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useWelcomeText } from './text.ts';
import classes from './welcome-page.module.css';

const STEPS = 3;

/** Leads from a new account to a first conversation. Each step can be skipped. */
export function WelcomePage() {
  const [text, common] = [useWelcomeText(), useText().common];
  const { orgId } = useLoaderData({ from: '/welcome' });
  const navigate = useNavigate();
  const [step, setStep] = useState(1);
  const [agent, setAgent] = useState<NewAgent>();
  const next = () => setStep((at) => at + 1);
  const toHome = () => void navigate({ to: '/o/$orgId', params: { orgId } });
  const titles = [text.modelTitle, text.agentTitle, text.doneTitle];
  const leads = [text.modelLead, text.agentLead, agent && text.doneLead(showInvisible(agent.name))];
  return (
    <OrgProvider orgId={orgId}>
      <EntryPage
        title={titles[step - 1] ?? text.title}
        lead={leads[step - 1]}
        head={<Progress at={step} of={STEPS} />}
        footer={step === 1 ? <p>{text.lead}</p> : undefined}
        isWide={step === 2}
      >
        {step === 1 && <ModelStep onDone={next} />}
        {step === 2 && (
          <AgentStep
            onDone={(added) => {
              setAgent(added);
              next();
            }}
          />
        )}
        {step === 3 && agent !== undefined && <DoneStep agent={agent} />}
        <p className={classes.next}>
          {step === 2 && (
            <Button variant="quiet" onClick={() => setStep(1)}>
              {common.back}
            </Button>
          )}
          {step < STEPS ? (
            <Button variant="quiet" onClick={step === 2 ? toHome : next}>
              {text.skip}
            </Button>
          ) : (
            <Button variant="quiet" onClick={toHome}>
              {text.toHome}
            </Button>
          )}
        </p>
      </EntryPage>
    </OrgProvider>
  );
}

/** Begins a chat with the new agent: with one of a few first messages, or with none yet. */
function DoneStep({ agent }: { readonly agent: NewAgent }) {
  const text = useWelcomeText();
  const begin = useBeginChat();
  const sending = begin.isPending ? begin.variables.content : undefined;
  const start = (content: string) => {
    if (!begin.isPending) begin.mutate({ agentId: agent.id, content, files: [] });
  };
  return (
    <>
      <FirstMessages agent={agent} sending={sending} onChoose={start} />
      <Button variant="primary" className={classes.start} busy={sending === ''} onClick={() => start('')}>
        {text.startChat}
      </Button>
    </>
  );
}

/**
 * Chooses between the demo model, which every organization has until it has an account, and an account of one's own.
 */
function ModelStep({ onDone }: { readonly onDone: () => void }) {
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
          <button type="button" className={`card gap-3 ${classes.card}`} onClick={run}>
            {icon}
            <span>
              <strong>{title}</strong>
              <span className="muted">{words}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The agent that a first conversation is with. */
type NewAgent = Pick<AgentTemplate, 'id' | 'name' | 'tools' | 'skills'>;

/** Adds the first agent, from a template; says so to those who may not. */
function AgentStep({ onDone }: { readonly onDone: (agent: NewAgent) => void }) {
  const text = useText();
  const [adding, toast, own] = [useAddAgent(), useToast(), useOwnPermissions()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, { onSuccess: onDone, onError: (error) => toast(error.message, 'failed') });
  return (
    <Loaded query={own}>
      {({ permissions }) =>
        permissions.includes('agents.manage') ? (
          <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />
        ) : (
          <p>{text.common.noRight('agents.manage')}</p>
        )
      }
    </Loaded>
  );
}

interface ProgressProps {
  /** The step that is shown, from 1. */
  readonly at: number;
  readonly of: number;
}

/** Says which of a few steps this is. */
function Progress({ at, of }: ProgressProps) {
  const text = useWelcomeText();
  return (
    <p className={classes.progress}>
      <span className={classes.bars} aria-hidden>
        {Array.from({ length: of }, (_, index) => (
          <span key={index} data-done={index < at || undefined} />
        ))}
      </span>
      {text.step(at, of)}
    </p>
  );
}

import { useLoaderData, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EntryPage } from '../auth/index.ts';
import { OrgProvider } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AgentStep, type NewAgent } from './agent-step.tsx';
import { DoneStep } from './done-step.tsx';
import { ModelStep } from './model-step.tsx';
import { useWelcomeText } from './text.ts';
import classes from './welcome-page.module.css';

const STEPS = 3;

/** Leads from a new account to a first conversation. Each step can be skipped. */
export function WelcomePage() {
  const text = useWelcomeText();
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
          {step < STEPS ? (
            <Button look="quiet" onClick={next}>
              {text.skip}
            </Button>
          ) : (
            <Button look="quiet" onClick={toHome}>
              {text.toHome}
            </Button>
          )}
        </p>
      </EntryPage>
    </OrgProvider>
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

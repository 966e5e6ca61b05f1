import { type ReactNode, useMemo } from 'react';
import type { ChatConnection, ChatTurn } from '../connection/index.ts';
import { Steps } from '../log/steps.tsx';
import { storedSteps } from '../log/stored-steps.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from './panel.module.css';

interface StepsTabProps {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
}

/** What agents have done for the last answers, the newest first. */
const MAX_TURNS = 10;

/** Shows the steps of the running answer, and of those before it. */
export function StepsTab({ connection, turns }: StepsTabProps): ReactNode {
  const text = useChatsText().panel;
  const running = useChatView(connection, (view) => view.work).filter(({ steps }) => steps.length > 0);
  const stored = useMemo(() => lastWithSteps(turns), [turns]);
  if (running.length + stored.length === 0) return <p className={classes.soft}>{text.noSteps}</p>;
  return (
    <>
      {running.map(({ turnId, steps }) => (
        <Steps key={turnId} steps={steps} />
      ))}
      {stored.map(({ answer, question, steps, records }) => (
        <section key={answer.id} className={classes.part}>
          <h3 className={classes.question}>{question?.content ?? ''}</h3>
          <Steps steps={steps} records={records} />
        </section>
      ))}
    </>
  );
}

// From the end: a chat may have thousands of turns.
function lastWithSteps(turns: readonly ChatTurn[]) {
  const found = [];
  for (let index = turns.length - 1; index >= 0 && found.length < MAX_TURNS; index -= 1) {
    const { answer, question } = turns[index] ?? {};
    const stored = answer === undefined ? undefined : { answer, question, ...storedSteps(answer) };
    if (stored !== undefined && stored.steps.length > 0) found.push(stored);
  }
  return found;
}

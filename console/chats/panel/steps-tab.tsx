import type { ReactNode } from 'react';
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
  const live = useChatView(connection, (view) => view.live).filter(({ steps }) => steps.length > 0);
  const stored = turns
    .flatMap(({ answer, question }) => (answer === undefined ? [] : [{ answer, question, ...storedSteps(answer) }]))
    .filter(({ steps }) => steps.length > 0)
    .slice(-MAX_TURNS)
    .toReversed();
  if (live.length + stored.length === 0) return <p className={classes.soft}>{text.noSteps}</p>;
  return (
    <>
      {live.map(({ turnId, steps }) => (
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

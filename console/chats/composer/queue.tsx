import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import type { Message } from '../connection/merge-messages.ts';
import classes from './composer.module.css';
import type { OutgoingMessage } from './outbox.ts';
import { useChatsText } from '../text.ts';

interface WaitingActions {
  /** Stops the running answer, after which the first one that waits is answered. */
  sendNow(): void;
  change(message: Message): void;
  withdraw(message: Message): void;
  /** The id of the question that is being withdrawn. */
  readonly withdrawingId: string | undefined;
}

interface QueueProps {
  /** Stored questions that wait for the turns before them. */
  readonly queued: readonly Message[];
  /** Messages that are not stored yet. */
  readonly outgoing: readonly OutgoingMessage[];
  /** What its owner can do with questions that wait; undefined for those who only read. */
  readonly waiting: WaitingActions | undefined;
  readonly onRetry: (clientMessageId: string) => void;
  readonly onDiscard: (message: OutgoingMessage) => void;
  readonly onTakeBack: (message: OutgoingMessage) => void;
}

/** Shows the messages that wait, each with what can be done about it. */
export function Queue({ queued, outgoing, waiting, onRetry, onDiscard, onTakeBack }: QueueProps): ReactNode {
  const text = useChatsText().queue;
  const unseen = outgoing.filter(
    ({ clientMessageId }) => !queued.some(({ client_message_id: id }) => id === clientMessageId),
  );
  if (queued.length + unseen.length === 0) return null;
  return (
    <ul className="grid gap-1" aria-label={text.label}>
      {queued.map((message, index) => (
        <li key={message.id} className={`row small ${classes.chip}`}>
          <span className={classes.content}>{message.content}</span>
          <span className={classes.state}>{text.queued}</span>
          {waiting !== undefined && <Waiting message={message} isFirst={index === 0} actions={waiting} />}
        </li>
      ))}
      {unseen.map((message) => (
        <li key={message.clientMessageId} className={`row small ${classes.chip}`}>
          <span className={classes.content}>{message.content}</span>
          <output className={classes.state} data-state={message.state}>
            {message.state === 'failed'
              ? text.notSent(message.reason === '' ? text.offline : message.reason)
              : text.sending}
          </output>
          {message.state === 'failed' && (
            <>
              <Button variant="quiet" onClick={() => onRetry(message.clientMessageId)}>
                {text.retry}
              </Button>
              <Button variant="quiet" onClick={() => onTakeBack(message)}>
                {text.toComposer}
              </Button>
              <Button variant="quiet" onClick={() => onDiscard(message)}>
                {text.discard}
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

interface WaitingProps {
  readonly message: Message;
  readonly isFirst: boolean;
  readonly actions: WaitingActions;
}

function Waiting({ message, isFirst, actions }: WaitingProps): ReactNode {
  const text = useChatsText().queue;
  return (
    <>
      <Button variant="quiet" onClick={() => actions.change(message)}>
        {text.change}
      </Button>
      <Button variant="quiet" busy={actions.withdrawingId === message.id} onClick={() => actions.withdraw(message)}>
        {text.withdraw}
      </Button>
      {isFirst && (
        <Button variant="quiet" onClick={() => actions.sendNow()}>
          {text.sendNow}
        </Button>
      )}
    </>
  );
}

import type { ReactNode } from 'react';
import { useChatsText } from '../text.ts';
import type { Command } from './commands.ts';
import classes from './composer.module.css';

interface CommandListProps {
  readonly id: string;
  readonly commands: readonly Command[];
  /** The one that Enter runs. */
  readonly active: number;
  readonly onRun: (command: Command) => void;
}

/** Shows the commands that a draft may mean. The keys of the field choose among them. */
export function CommandList({ id, commands, active, onRun }: CommandListProps): ReactNode {
  const text = useChatsText().commands;
  if (commands.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- its field is the composer's, which keeps the focus
    <div id={id} role="listbox" aria-label={text.label} className={classes.commands}>
      {commands.map((command, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys of the field run it
        <div
          key={command.name}
          id={`${id}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as for the list
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          className={classes.command}
          // The focus stays in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onRun(command)}
        >
          <code>{`/${command.name}`}</code>
          {command.label}
        </div>
      ))}
    </div>
  );
}

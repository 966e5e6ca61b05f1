import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useChatsText } from '../text.ts';
import classes from './composer.module.css';

/** Something that is done by a word after a slash, instead of a message. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly label: string;
  readonly run: () => void;
}

/** Returns the commands that a draft may mean: it is a slash and the begin of a name, and nothing else. */
function commandsFor(draft: string, commands: readonly Command[]): readonly Command[] {
  const begin = /^\/([a-z]*)$/.exec(draft)?.[1];
  return begin === undefined ? [] : commands.filter(({ name }) => name.startsWith(begin));
}

interface CommandsOptions {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly commands: readonly Command[];
}

/** Returns the commands that a draft may mean, and what chooses among them. */
export function useCommandChoice({ text, onText, commands }: CommandsOptions) {
  const id = useId();
  const offered = commandsFor(text, commands);
  const [chosen, setChosen] = useState(0);
  const active = Math.min(chosen, offered.length - 1);
  const run = (command: Command) => {
    onText('');
    setChosen(0);
    command.run();
  };
  return {
    id,
    offered,
    active,
    run,
    /** What a field says of the list that its keys choose from. */
    field: offered.length === 0 ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${active}` },
    /** Returns whether a key was one of the list. */
    takesKey: (event: KeyboardEvent): boolean => {
      const command = offered[active];
      if (command === undefined || !isOfList(event)) return false;
      event.preventDefault();
      if (event.key === 'Enter' || event.key === 'Tab') run(command);
      else if (event.key === 'Escape') onText('');
      else setChosen((active + (event.key === 'ArrowUp' ? offered.length - 1 : 1)) % offered.length);
      return true;
    },
  };
}

function isOfList({ key, shiftKey }: KeyboardEvent): boolean {
  return !shiftKey && ['Enter', 'Tab', 'Escape', 'ArrowUp', 'ArrowDown'].includes(key);
}

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
